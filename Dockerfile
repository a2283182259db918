# Builds the single-file executable and copies it to a small image without a package manager's cache.
FROM node:22-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json ./
RUN npm ci
COPY . .
RUN npx bun run build && npx bun scripts/licenses.ts > dist/THIRD-PARTY-LICENSES

FROM debian:bookworm-slim
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates \
  && rm -rf /var/lib/apt/lists/* \
  && mkdir -m 1777 /data
COPY --from=build /src/dist/portcullis /usr/local/bin/portcullis
COPY --from=build /src/LICENSE /src/NOTICE /src/dist/THIRD-PARTY-LICENSES /usr/share/doc/portcullis/
# The last one: see bin/portcullis.
ENV PORTCULLIS_LISTEN=0.0.0.0:8080 \
  PORTCULLIS_DATA_DIR=/data \
  LOG_FORMAT=json \
  MIMALLOC_PURGE_HOLES=0
# Any other user id works too: only /data is written.
USER 65532:65532
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s CMD ["portcullis", "ready"]
ENTRYPOINT ["portcullis"]
CMD ["start"]

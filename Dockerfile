# One image for the web server and the workers: `web` (the default), `worker play`, `worker bulk`.
# Everything is done by tools/image.sh, which the tests run too. Nothing in the image is written to but /tmp.
FROM python:3.11-slim-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev make && rm -rf /var/lib/apt/lists/*
WORKDIR /checkout
COPY . .
RUN tools/image.sh /opt/dorfplatz

FROM python:3.11-slim-bookworm
COPY --from=build /opt/dorfplatz /opt/dorfplatz
ENV DORFPLATZ_KERNEL=compiled HOST=0.0.0.0 PORT=8000 METRICS_HOST=0.0.0.0 METRICS_PORT=9464 HOME=/tmp PYTHONDONTWRITEBYTECODE=1
USER 10001:10001
WORKDIR /tmp
EXPOSE 8000 9464
HEALTHCHECK --interval=15s --timeout=10s --start-period=30s CMD ["/opt/dorfplatz/bin/python", "-P", "-m", "service", "probe", "web"]
ENTRYPOINT ["/opt/dorfplatz/bin/python", "-P", "-m", "service"]
CMD ["web"]

# Three images of gangform; all versions come from the repository's locks.
#   docker build --tag gangform .              with kustomize, kubeconform and helm, and the Argo CD plugin; no shell
#   docker build --tag gangform:ci --target ci .   the same with git and a shell, for CI jobs
#   docker build --tag gangform-controller --target controller .   the status controller of deploy/controller; no shell

ARG GO=golang:1.26-bookworm
ARG DEBIAN=debian:bookworm-slim
ARG RUNTIME=gcr.io/distroless/python3-debian12:nonroot

FROM ${GO} AS programs
ENV CGO_ENABLED=0 GOFLAGS=-mod=readonly
COPY tools/go.mod tools/go.sum /src/tools/
COPY tools/helm3/go.mod tools/helm3/go.sum /src/tools/helm3/
WORKDIR /src/tools
RUN go build -trimpath -ldflags="-s -w" -o /programs/ \
      github.com/yannh/kubeconform/cmd/kubeconform sigs.k8s.io/kustomize/kustomize/v5
WORKDIR /src/tools/helm3
RUN go build -trimpath -ldflags="-s -w" -o /programs/helm helm.sh/helm/v3/cmd/helm

# Debian's own Python, since the runtime has the same one at the same place.
FROM ${DEBIAN} AS build
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends python3-venv \
    && rm -rf /var/lib/apt/lists/* \
    && python3 -m venv /build \
    && python3 -m venv --without-pip /opt/gangform
COPY requirements/build.txt requirements/run.txt /src/requirements/
WORKDIR /src
RUN /build/bin/pip install --no-cache-dir --require-hashes --requirement requirements/build.txt \
    && /build/bin/pip --python /opt/gangform/bin/python install --no-cache-dir --require-hashes \
         --requirement requirements/run.txt
COPY pyproject.toml README.md LICENSE ./
COPY schemas schemas
COPY generator generator
RUN /build/bin/pip wheel --no-cache-dir --no-index --no-deps --no-build-isolation --wheel-dir /wheels . \
    && /build/bin/pip --python /opt/gangform/bin/python install --no-cache-dir --no-index --no-deps /wheels/*.whl

FROM ${DEBIAN} AS ci
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates git python3 \
    && rm -rf /var/lib/apt/lists/* \
    # A runner checks out as another user than the one that looks.
    && git config --system --add safe.directory '*'
COPY --from=programs /programs /usr/local/bin/
COPY --from=build /opt/gangform /opt/gangform
ENV PATH=/opt/gangform/bin:/usr/local/bin:/usr/bin:/bin PYTHONDONTWRITEBYTECODE=1 HOME=/tmp
USER 65532:65532
WORKDIR /work
CMD ["gangform", "--help"]

FROM build AS clients
COPY requirements/controller.txt requirements/
RUN /build/bin/pip --python /opt/gangform/bin/python install --no-cache-dir --require-hashes \
      --requirement requirements/controller.txt

FROM ${RUNTIME} AS controller
COPY --from=clients /opt/gangform /opt/gangform
ENV PATH=/opt/gangform/bin:/usr/bin:/bin PYTHONDONTWRITEBYTECODE=1 HOME=/tmp
USER 65532:65532
EXPOSE 8080
ENTRYPOINT ["/opt/gangform/bin/gangform"]
CMD ["controller"]

FROM ${RUNTIME} AS gangform
COPY --from=programs /programs /usr/local/bin/
COPY --from=build /opt/gangform /opt/gangform
# Where Argo CD's argocd-cmp-server looks; the sidecar's command is that server, which Argo CD mounts.
COPY deploy/argocd/plugin/plugin.yaml /home/argocd/cmp-server/config/plugin.yaml
ENV PATH=/opt/gangform/bin:/usr/local/bin:/usr/bin:/bin PYTHONDONTWRITEBYTECODE=1 HOME=/tmp
USER 65532:65532
WORKDIR /work
ENTRYPOINT ["/opt/gangform/bin/gangform"]
CMD ["--help"]

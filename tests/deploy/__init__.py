"""Deployments: the image, the compose file, the manifests."""

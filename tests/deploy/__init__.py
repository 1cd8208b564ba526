"""What is deployed: the image, the compose file, the manifests."""

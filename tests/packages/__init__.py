"""Games that come out of packages, as strangers make them."""

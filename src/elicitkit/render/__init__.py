"""Forms as a person sees them."""

"""Forms as a person sees them.

`text`, `wording`, `controls`, `links` and `model_questions` are what the terminal and the pages share.
"""

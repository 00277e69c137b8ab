"""The pictures: a NamedTuple of :mod:`kernlab.analysis` in, a plotly Figure out. No arithmetic.

Figures are transparent and leave no text colour of their own beyond a grey that reads on light and
dark; a page that knows its theme sets ``layout.font.color``. Every figure carries ``layout.uirevision``,
so a zoom survives new data of the same picture.
"""

"""How Sphinx draws the site; make.py prepares what it draws."""

from docutils import nodes

from tools.address import address

project = html_title = "Relative Position in Attention"
copyright = "2026, the authors of the course. Code: MIT. Text and pictures: CC BY 4.0"

extensions = ["myst_nb"]
nb_execution_mode = "off"  # the notebooks bring their outputs
myst_enable_extensions = ["amsmath", "attrs_block", "dollarmath"]
myst_heading_anchors = 3
mathjax_path = "mathjax/tex-mml-chtml.js"  # make.py puts it into _static, so formulas need no network

html_theme = "sphinx_book_theme"
html_static_path = ["site.css", "site.js"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_favicon = "icon.svg"
templates_path = ["templates"]
html_context = {"default_mode": "auto"}  # light or dark as the reader's system asks
html_sidebars = {"**": ["search-button-field.html", "sbt-sidebar-nav.html"]}
html_copy_source = False
html_use_index = False
html_theme_options = {
    "home_page_in_toc": True,
    "max_navbar_depth": 1,  # from a lesson to its tasks and solutions lead the links under its title
    "use_download_button": False,  # each page has a button with words on it instead
    "use_fullscreen_button": False,
    "footer_content_items": ["copyright.html"],
    "repository_url": address() or "",
    "use_repository_button": address() is not None,
}


def setup(app):
    app.connect("builder-inited", search_what_is_read)


def search_what_is_read(app):
    """The search knows no solutions, and a space between the boxes of a picture, whose words would be one otherwise."""
    index = app.builder.index_page

    def index_page(name, doctree, title):
        if name.startswith("solutions/"):
            return
        searched = doctree.deepcopy()
        for html in searched.findall(nodes.raw):
            html.children = [nodes.Text(html.astext().replace("<", " <"))]
        index(name, searched, title)

    app.builder.index_page = index_page

"""What a learner does on a page of JupyterLab, in one function each."""

import re
from contextlib import contextmanager, suppress

import nbformat
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import Browser, Locator, Page, expect

from .conftest import TOKEN, Lab

PATIENCE = 180_000  # milliseconds; a kernel that imports torch on a busy machine takes its time


@contextmanager
def opened(browser: Browser, lab: Lab, notebook: str = ""):
    """A fresh page with this notebook open (or what the course opens by itself), its kernel ready."""
    with browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce") as context:
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(f"{lab.address}/{f'lab/tree/mine/{notebook}?reset&' if notebook else '?'}token={TOKEN}")
        page.wait_for_selector(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Cell")
        ready(page)
        yield page


@contextmanager
def running(browser: Browser, lab: Lab, name: str, *sources: str):
    """A fresh page with a notebook of these cells, which have run."""
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    made = new_notebook(cells=list(map(new_code_cell, sources)), metadata={"kernelspec": kernel})
    nbformat.write(made, lab.folder / "notebooks" / name)
    with opened(browser, lab, f"notebooks/{name}") as page:
        run_all(page)
        yield page


def ready(page: Page) -> None:
    """Wait until the kernel has started and has nothing to do."""
    expect(page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Notebook-ExecutionIndicator")).to_have_attribute(
        "data-status", "idle", timeout=PATIENCE
    )
    # The indicator may be idle before a kernel is there, and then JupyterLab would ask which one to take.
    expect(page.get_by_role("button", name="Python 3 (ipykernel) | Idle")).to_be_visible(timeout=PATIENCE)


def run_all(page: Page) -> None:
    """Run → Run All Cells on a page without outputs, until the last cell is done."""
    menu(page, "Edit", "Clear Outputs of All Cells")
    prompts = notebook(page).locator(".jp-CodeCell .jp-InputPrompt")
    expect(prompts.filter(has_text=re.compile(r"\d"))).to_have_count(0)
    begun = prompts.filter(has_text=re.compile(r"[\d*]")).first  # then all others wait
    for patience in (PATIENCE / 6, PATIENCE):  # a busy page may close the menu without a deed
        menu(page, "Run", "Run All Cells")
        with suppress(AssertionError):
            expect(begun).to_be_visible(timeout=patience)
            break
    expect(begun).to_be_visible()
    expect(prompts.filter(has_text="*")).to_have_count(0, timeout=2 * PATIENCE)
    ready(page)


def menu(page: Page, name: str, item: str) -> None:
    page.get_by_role("menuitem", name=name, exact=True).click()
    page.get_by_role("menuitem", name=item, exact=True).click()


def notebook(page: Page) -> Locator:
    return page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Notebook")


def errors(page: Page) -> list[str]:
    """The error outputs on the page: a check that finds a wrong answer is none, a traceback is one."""
    found = notebook(page).locator('.jp-OutputArea-output[data-mime-type="application/vnd.jupyter.error"]')
    return found.all_inner_texts()


def cell(page: Page, text: str) -> Locator:
    """The first code cell whose input holds this text."""
    editor = page.locator(".jp-InputArea-editor", has_text=re.compile(re.escape(text)))
    return notebook(page).locator(".jp-CodeCell", has=editor).first


def picture(page: Page, kind: str) -> Locator:
    return notebook(page).locator(f".rp-{kind}").first

"""What notebooks and widget libraries call; nothing has to happen outside Colab's front end."""


def enable_custom_widget_manager(version="") -> None:
    pass


def disable_custom_widget_manager() -> None:
    pass

"""Views in a browser: live ones, and pages that play what was shown."""
from __future__ import annotations

import os
import threading

import numpy

from ._low import Working, encode, ffi, lib, text
from .errors import check, failure, failure_of
from .states import State
from .structs import Writer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Union

    from ._methods import Numbers
    from .models import Model


# The page of the viewer, if the package has it and nobody says otherwise.
if os.path.exists(_page := os.path.join(os.path.dirname(__file__), 'data', 'viewer.html')):
    os.environ.setdefault('CARDAN_PAGE', _page)


def _opened(state, **members):
    """A view of a State, and the Writer that keeps what its def points to."""
    writer, out = Writer(ffi.NULL), ffi.new('cdn_view **')
    how = writer.filled('cdn_view_def', members)
    if state.model._model: how.model = state.model._model
    if status := lib.cdn_view_open(state._state, how, out): raise failure_of('cdn_state', state._state, status)
    return out[0], writer


def page(state, n, show, path):
    """Writes a page that plays n frames; show(k) sets the State to frame k."""
    view, _ = _opened(state, serve=False, keep=True)
    view = ffi.gc(view, lib.cdn_view_close)
    for k in range(n):
        show(k)
        check(lib.cdn_view_show(view, state._state))
    check(lib.cdn_view_write(view, encode(path)))


class View(Working):
    """A live view of a State's System in a browser: run, pause, scrub, drag, pull. It runs in a thread of its own until
    it is closed; `address` is where its page is."""

    def __init__(self, state: State, *, open: bool = True, **members: Any) -> None:
        if not isinstance(state, State): raise TypeError('a view shows a cardan.State')
        self._view, self._writer = _opened(state, **members)
        self.address, self._model, self._status = text(lib.cdn_view_address(self._view)), state.model, 0
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        if open and self.address:
            import webbrowser
            webbrowser.open(self.address)

    def _run(self): self._status = lib.cdn_view_run(self._view, ffi.NULL)

    def wait(self) -> None:
        """Waits until the view is closed; Ctrl-C closes it."""
        try:
            while self._thread.is_alive(): self._thread.join(0.1)
        except KeyboardInterrupt: pass
        self.close()

    def close(self) -> None:
        """Ends the view, and frees its port."""
        if self._view is None: return
        lib.cdn_view_stop(self._view)
        self._thread.join()
        lib.cdn_view_close(self._view)
        self._view = None
        if self._status: raise failure(self._status)

    def __enter__(self) -> View: return self
    def __exit__(self, *_: Any) -> None: self.close()

    def _repr_html_(self):
        return f'<iframe src="{self.address}" width="100%" height="480" style="border:0"></iframe>'


def view(shown: Union[State, Model], **members: Any) -> View:
    """A live view of a State, or of a model in its default State. Members of cdn_view_def are keywords."""
    if not hasattr(shown, 'state') and not isinstance(shown, State):
        raise TypeError('a view shows a cardan.State or a cardan.Model')
    return View(shown if isinstance(shown, State) else shown.state(), **members)


class Camera(Working):
    """Pictures of States of one model, drawn off screen: `camera(state)` is an array, height x width x 4 bytes (red,
    green, blue, opacity). It sees all of the State that it is made of, from `direction`, with +z up. Other keywords are
    members of cdn_render_def."""

    def __init__(self, state: State, width: int = 640, height: int = 480, direction: Numbers = (1, -2, 0.6),
                 **members: Any) -> None:
        if not isinstance(state, State): raise TypeError('a camera sees States of the model of a cardan.State')
        if not (width > 0 and height > 0): raise ValueError(f'a picture of {width} x {height} has no points')
        writer, out = Writer(state.model._system), ffi.new('cdn_scene **')
        if state.model._model: check(lib.cdn_model_create_scene(state.model._model, state._state, ffi.NULL, out))
        else:
            check(lib.cdn_scene_create(state._state, ffi.NULL, out))
            check(lib.cdn_scene_complete(out[0], state._state))
        self._scene, self._renderer = ffi.gc(out[0], lib.cdn_scene_destroy), ffi.new('cdn_renderer **')
        check(lib.cdn_scene_update(self._scene, state._state))
        self._view, self._shape = ffi.new('cdn_view_point *'), (height, width, 4)
        vector = lambda values: writer.value(ffi.typeof('cdn_vec3'), values, 'a vector')
        check(lib.cdn_scene_fit(self._scene, vector(direction), vector([0, 0, 1]), width / height, self._view))
        how = writer.filled('cdn_render_def', {'width': width, 'height': height, **members})
        check(lib.cdn_renderer_create(self._scene, how, self._renderer))
        self._drawing = ffi.gc(self._renderer[0], lib.cdn_renderer_destroy)

    def __call__(self, state: State) -> Any:
        if not isinstance(state, State): raise TypeError('a camera sees a cardan.State')
        picture = numpy.empty(self._shape, dtype=numpy.uint8)
        check(lib.cdn_scene_update(self._scene, state._state))
        check(lib.cdn_renderer_draw(self._drawing, self._view, ffi.from_buffer('uint8_t[]', picture)))
        return picture

"""Tables: rows of numbers under columns that have names and units, in files of several formats."""
from __future__ import annotations

import os
import tempfile

import numpy

from ._low import Working, doubles, encode, ffi, lib, numbers, text
from .columns import Columns
from .errors import UnsupportedError, check
from .models import html_table
from .structs import Writer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

    from ._methods import Path


class TableWriter(Working):
    """A table being written: `rows`, then `close`, or a `with` statement. The ending of the path says the format: .h5
    or .hdf5, .npz, .sto, .mot, .trc; any other: comma-separated values (docs/data.md). A program that is killed leaves
    what was written so far. units: "" where there is none."""

    path: str

    def __init__(self, path: Path, names: Sequence[str], units: Optional[Sequence[str]] = None) -> None:
        names, units = list(names), list(units or [''] * len(names))
        if len(units) != len(names): raise ValueError(f'{len(names)} columns have {len(units)} units')
        how, out = Writer(ffi.NULL), ffi.new('cdn_table_writer **')
        text_of = lambda each: how.pointer(ffi.typeof('char'), each, 'a name')
        texts = lambda given: how.keep(ffi.new('char *[]', [text_of(each) for each in given]))
        d = how.filled('cdn_table_def', {'names': texts(names), 'units': texts(units)})
        d.n_columns = len(names)
        self.path, self._n, self._writer = os.fsdecode(encode(path)), len(names), None
        check(lib.cdn_table_create(encode(path), d, out))
        self._writer = out[0]

    def _open(self):
        if self._writer is None: raise ValueError(f'{self.path}: the table is closed')
        return self._writer

    def rows(self, values: Any) -> None:
        """Adds one row, or several: n numbers, or K x n."""
        values = numpy.asarray(values)
        shape = (1 if values.ndim == 1 else len(values), self._n)
        made = numbers(values.reshape(1, -1) if values.ndim == 1 else values, shape, 'rows')
        check(lib.cdn_table_rows(self._open(), len(made), doubles(made)))

    def attribute(self, name: str, value: Union[str, float]) -> None:
        """Keeps a text or a number beside the rows; comma-separated values have none."""
        if isinstance(value, str): check(lib.cdn_table_attribute(self._open(), encode(name), encode(value)))
        else: check(lib.cdn_table_number(self._open(), encode(name), float(value)))

    def attributes(self, given: Mapping[str, Any]) -> None:
        """Gives several attributes."""
        for name, value in given.items(): self.attribute(name, value)

    def flush(self) -> None:
        """Hands all rows to the system: whoever opens the file now reads them."""
        check(lib.cdn_table_flush(self._open()))

    def close(self) -> None:
        """Writes what is left, and closes the file."""
        writer, self._writer = self._writer, None
        if writer is not None: check(lib.cdn_table_close(writer))

    def __enter__(self) -> TableWriter: return self

    def __exit__(self, *raised: Any) -> None:
        if raised[0] is None: self.close()
        else: self._drop()

    def _drop(self):
        """Closes it; what is wrong with it is not what is to be told."""
        writer, self._writer = self._writer, None
        if writer is not None: lib.cdn_table_close(writer)

    def __del__(self):
        if getattr(self, '_writer', None) is not None: self._drop()

    def __repr__(self) -> str: return f'<cardan.TableWriter of {self.path!r}: {self._n} columns>'


class Table:
    """Rows of numbers: `values` (K x n), `names` and `units` of the columns, `attributes` (texts beside the rows), and
    `cut`: whether the file ended within a row. `table["knee.q"]` is a column; the name of a joint finds all of its own.
    """

    values: Columns
    attributes: Dict[str, Any]
    cut: bool

    def __init__(self, values: Any, names: Sequence[str], units: Optional[Sequence[str]] = None,
                 attributes: Optional[Mapping[str, Any]] = None) -> None:
        made = Columns(values, names, units)
        if made.ndim != 2 or made.shape[1] != len(made.names) or len(made.units) != len(made.names):
            raise ValueError(f'{len(made.names)} names and {len(made.units)} units do not fit shape {made.shape}')
        self.values, self.attributes, self.cut = made, dict(attributes or {}), False

    @property
    def names(self) -> List[str]:
        """The names of the columns."""
        return self.values.names
    @property
    def units(self) -> List[str]:
        """The units of the columns."""
        return self.values.units

    def __getitem__(self, name: str) -> Any:
        if not isinstance(name, str): raise TypeError('a table finds columns by name; table.values has rows')
        return self.values[name]

    def __contains__(self, name: object) -> bool: return name in self.names
    def __len__(self) -> int: return len(self.values)

    def save(self, path: Path) -> None:
        """Writes it to a file, whose ending says the format."""
        with TableWriter(path, self.names, self.units) as writer:
            writer.attributes(self.attributes)
            if len(self): writer.rows(numpy.asarray(self.values))

    def __repr__(self) -> str:
        shown = ', '.join(self.names[:6]) + (', ...' if len(self.names) > 6 else '')
        return f'<cardan.Table: {len(self)} rows of {len(self.names)} columns: {shown}>'

    def _repr_html_(self):
        k = len(self)
        some = range(k) if k <= 20 else [*range(10), *range(k - 10, k)]
        heads = [f'{name} ({unit})' if unit else name for name, unit in zip(self.names, self.units)]
        return html_table(f'{k} rows', heads, [[f'{x:.6g}' for x in numpy.asarray(self.values[i])] for i in some])


def opened(source):
    """The table of C of a file, or of a Table."""
    if isinstance(source, Table):
        with tempfile.TemporaryDirectory() as folder: return opened(in_a_file(source.save, folder))
    out = ffi.new('cdn_table **')
    check(lib.cdn_table_read(encode(source), out))
    return ffi.gc(out[0], lib.cdn_table_destroy)


def in_a_file(save, folder):
    """The path of what is saved in a folder, in a format that the library has."""
    for name in ('table.h5', 'table.npz', 'table.csv'):
        path = os.path.join(folder, name)
        try: save(path)
        except UnsupportedError: continue
        return path


def read_table(path: Path) -> Table:
    """Reads a table of any format, by the ending of its name. Raises FileError, ParseError (it holds no table; the
    message tells what and where), UnsupportedError."""
    table = opened(path)
    k, n = lib.cdn_table_row_count(table), lib.cdn_table_column_count(table)
    values = numpy.empty((k, n))
    if values.size: ffi.memmove(values, lib.cdn_table_values(table), 8 * values.size)
    of_columns = lib.cdn_table_column_name, lib.cdn_table_column_unit
    columns = [[text(get(table, i)) for i in range(n)] for get in of_columns]
    names = [lib.cdn_table_attribute_name(table, i) for i in range(lib.cdn_table_attribute_count(table))]
    made = Table(values, *columns, {text(name): text(lib.cdn_table_attribute_text(table, name)) for name in names})
    made.cut = lib.cdn_table_is_cut(table)
    return made

import { rowSql } from '../sql/row-value.ts'
import type { ColumnCodec } from './column-type.ts'
import { compositeId } from './composite-id.ts'
import type { Engine } from './engine.ts'

/** The columns that make the id of an item. */
export interface KeyColumns {
  /** Quoted. */
  readonly columns: readonly string[]
  /** The codec of each column. */
  readonly parts: readonly ColumnCodec[]
  /** How ids compare with the columns. */
  readonly codec: ColumnCodec
  /** The columns of the row with this alias, or of the only row that a statement names. */
  of(alias?: string): readonly string[]
  /** The id of this row, in a form that `codec.decode` reads. */
  select(alias?: string): string
  /** The condition that the row of a statement has the id of this parameter. */
  equals(parameter: string): string
  /** The values of the columns in the id of this parameter. */
  values(parameter: string): readonly string[]
}

/** @param names the columns, with the codec of each */
export function keyColumns(
  engine: Engine,
  names: readonly (readonly [name: string, codec: ColumnCodec])[],
): KeyColumns {
  const columns = names.map(([name]) => engine.dialect.quote(name))
  const parts = names.map(([, codec]) => codec)
  const of = (alias?: string) =>
    columns.map((column, index) =>
      parts[index]!.form.value(alias === undefined ? column : `${alias}.${column}`),
    )
  const [codec] = parts
  if (parts.length === 1)
    return {
      columns,
      parts,
      codec: codec!,
      of,
      select: (alias) => codec!.select(of(alias)[0]!),
      equals: (parameter) => `${of()[0]} = ${parameter}`,
      values: (parameter) => [parameter],
    }
  const composite = compositeId(engine, parts)
  const { operands, operand } = composite.codec.form
  return {
    columns,
    parts,
    codec: composite.codec,
    of,
    select: (alias) => composite.text(of(alias)),
    equals: (parameter) => `${rowSql(of())} = ${operand(parameter)}`,
    values: operands!,
  }
}

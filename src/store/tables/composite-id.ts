import { rowSql } from '../sql/row-value.ts'
import type { ColumnCodec } from './column-type.ts'
import type { Engine } from './engine.ts'

/** Between the parts of an id. */
export const idSeparator = '~'

/**
 * The id of a key with several columns: its parts, joined by `~`. Within a part, `@0` stands for
 * `@`, and `@1` for `~`. So each key has one id, and each id one key.
 */
export function joinIdParts(parts: readonly string[]): string {
  return parts
    .map((part) => part.replaceAll('@', '@0').replaceAll(idSeparator, '@1'))
    .join(idSeparator)
}

/** Undefined if the text is not what `joinIdParts` makes of so many parts. */
export function splitId(id: string, count: number): readonly string[] | undefined {
  if (/@(?![01])/.test(id)) return undefined
  const parts = id.split(idSeparator)
  return parts.length === count
    ? parts.map((part) => part.replaceAll('@1', idSeparator).replaceAll('@0', '@'))
    : undefined
}

/** The SQL of such ids. */
export interface CompositeId {
  /** How a bound id compares with the row of the columns. */
  readonly codec: ColumnCodec
  /** The id that these columns make; NULL if one of them is. */
  text(columns: readonly string[]): string
}

/** @param parts the codecs of the columns, in their order */
export function compositeId(engine: Engine, parts: readonly ColumnCodec[]): CompositeId {
  const text = (columns: readonly string[]) =>
    joinIdColumns(columns.map((column, index) => parts[index]!.form.text(column)))
  const operands = (id: string) =>
    parts.map(({ form }, index) => form.operand(unescapePart(engine.idPart(id, index))))
  return {
    text,
    codec: {
      ...engine.codecs.id,
      form: {
        kind: 'native',
        value: (row) => row,
        operand: (id) => rowSql(operands(id)),
        operands,
        ordered: (columns) =>
          columns.map((column, index) => parts[index]!.form.ordered?.([column])[0] ?? column),
        text: (_, columns) => text(columns!),
        lossless: (_, columns) => engine.dialect.textAsJson(text(columns!)),
      },
      canonical: (id) => {
        const isCanonical = splitId(id, parts.length)?.every(
          (part, index) => parts[index]!.canonical(part) === part,
        )
        return isCanonical ? id : undefined
      },
    },
  }
}

/** The id of several texts, as an expression; a single one is the id. */
export function joinIdColumns(texts: readonly string[]): string {
  if (texts.length === 1) return texts[0]!
  return `(${texts.map(escapePart).join(` || '${idSeparator}' || `)})`
}

function escapePart(part: string): string {
  return `replace(replace(${part}, '@', '@0'), '${idSeparator}', '@1')`
}

function unescapePart(part: string): string {
  return `replace(replace(${part}, '@1', '${idSeparator}'), '@0', '@')`
}

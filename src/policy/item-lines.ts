import type { Contents } from '../rule/contents.ts'
import type { ItemLines, JsonItemLines } from '../rule/item-lines.ts'
import { charsetParameters } from '../rule/media-type-parameters.ts'
import type { ItemRequest } from '../rule/request-shape.ts'
import type { ResponseShape } from '../rule/response-shape.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import type { ErrorSerializer, Serializer } from '../serializer/serializer.ts'
import { maxCsvColumns, readCsvHeader } from './csv-reader.ts'
import { csvMediaType } from './csv-serializer.ts'
import { jsonLinesMediaType } from './json-lines-serializer.ts'
import type { ListOptions } from './list-alternatives.ts'
import { readFlatItem } from './read-flat-item.ts'

/** How one line of JSON looks under a policy. */
export interface LineFormat extends Pick<JsonItemLines, 'readItem' | 'pointerPrefix'> {
  /** Of the value of a line. */
  readonly schema: JsonSchema
}

/** The bodies with several items that a policy takes: in the media types of its lists. */
export interface LinesFormat {
  readonly lines: readonly ItemLines[]
  readonly contents: Contents
}

/**
 * Bodies of lines where the policy offers lists as lines; undefined where it does not. Records of
 * CSV are flat items under every policy.
 */
export function linesFormat(
  format: LineFormat,
  { jsonLines = false, csv = false }: ListOptions,
): LinesFormat | undefined {
  if (!jsonLines && !csv) return undefined
  const { schema, readItem, pointerPrefix } = format
  const jsonItems: ItemLines = {
    kind: 'json',
    mediaType: jsonLinesMediaType,
    pointerPrefix,
    readItem,
  }
  const csvItems: ItemLines = {
    kind: 'csv',
    mediaType: csvMediaType,
    pointerPrefix: '',
    readItem: (value, view, purpose) => readFlatItem(value, view, purpose),
    maxColumns: maxCsvColumns,
    readHeader: readCsvHeader,
  }
  return {
    lines: [...(jsonLines ? [jsonItems] : []), ...(csv ? [csvItems] : [])],
    contents: () => ({
      ...(jsonLines && { [jsonLinesMediaType]: { schema: linesSchema, itemSchema: schema } }),
      ...(csv && { [csvMediaType]: { schema: csvSchema } }),
    }),
  }
}

/** The request for one item, which may have several on lines too. */
export function withLines(request: ItemRequest, format: LinesFormat | undefined): ItemRequest {
  if (!format) return request
  const { lines, contents } = format
  return {
    ...request,
    mediaTypes: [...request.mediaTypes, ...lines.map(({ mediaType }) => mediaType)],
    contents: () => ({ ...request.contents(), ...contents() }),
    lines,
  }
}

/** What became of the lines. */
export function linesResponse(serializer: Serializer): ResponseShape {
  return {
    status: 200,
    description: 'What became of each line',
    content: 'empty',
    serializer,
    parameters: charsetParameters,
    contents: () => ({
      [jsonLinesMediaType]: { schema: resultsSchema, itemSchema: resultSchema(serializer) },
    }),
    headers: { 'preference-applied': 'sometimes' },
  }
}

const linesSchema: JsonSchema = Object.freeze({
  type: 'string',
  description: 'JSON Lines: one item per line',
})

const csvSchema: JsonSchema = Object.freeze({
  type: 'string',
  description:
    'Comma-separated values (RFC 4180): a header with names of members, and a record for each item. An empty cell is null where the member can be null, and no value otherwise',
})

const resultsSchema: JsonSchema = Object.freeze({
  type: 'string',
  description:
    'JSON Lines: for each line of the body its number, a status, and the id of the item or the errors',
})

/** Errors look as in other responses of the policy. */
function resultSchema({ errorSchema }: ErrorSerializer): JsonSchema {
  const { properties } = errorSchema.component?.schema() ?? errorSchema
  return {
    type: 'object',
    properties: {
      line: { type: 'integer', description: 'The number of the line, from 1' },
      status: { type: 'integer', description: 'As of a request with this item alone' },
      id: { type: 'string', description: 'The id of the item that is created or changed' },
      errors: properties?.errors ?? { type: 'array' },
      created: { type: 'integer', description: 'At the end of a minimal response' },
      updated: { type: 'integer', description: 'At the end of a minimal response' },
      failed: { type: 'integer', description: 'At the end of a minimal response' },
    },
  }
}

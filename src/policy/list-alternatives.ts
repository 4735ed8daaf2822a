import type { OptionChecks } from '../model/check-options.ts'
import type { ModelView } from '../model/model-view.ts'
import type { Contents } from '../rule/contents.ts'
import { charsetParameters } from '../rule/media-type-parameters.ts'
import { downloadParameter } from '../rule/parameter/download-parameter.ts'
import type { QueryParameter } from '../rule/query-parameter.ts'
import type { AlternativeShape, HeaderPresence, ResponseShape } from '../rule/response-shape.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import type { Serializer } from '../serializer/serializer.ts'
import { csvMediaType, csvSerializer } from './csv-serializer.ts'
import { jsonLinesMediaType, jsonLinesSerializer } from './json-lines-serializer.ts'

/**
 * In which other media types a policy offers lists and their groups. They hold items only, so
 * `include`, `withCount`, `withAggregates`, `withFacets` and `withHighlights` are 406 with them.
 */
export interface ListOptions {
  /**
   * Offers lists as JSON Lines too, to clients that prefer `application/jsonl` (`Accept`): one item
   * per line, so that clients can read items before the response is complete. Default: false.
   */
  readonly jsonLines?: boolean
  /**
   * Offers lists as comma-separated values too (RFC 4180), to clients that prefer `text/csv`
   * (`Accept`): a header with the names of the members, and a record for each item. Relations are
   * ids, and nested values JSON. Default: false.
   */
  readonly csv?: boolean
}

export const listOptions: OptionChecks<ListOptions> = { jsonLines: 'boolean', csv: 'boolean' }

/** What a line or a record of a list stands for. */
interface ListRow {
  readonly noun: 'item' | 'group'
  readonly schema: JsonSchema
}

/** A list, or its groups, with the representations in other media types. */
export function withAlternatives<List extends Pick<ResponseShape, 'contents' | 'headers'>>(
  list: List,
  view: ModelView,
  serializer: Serializer,
  { noun, schema }: ListRow,
  { jsonLines = false, csv = false }: ListOptions,
): List & Pick<ResponseShape, 'alternatives' | 'fileExtension'> {
  const alternatives: AlternativeShape[] = []
  const contents: Record<string, ReturnType<Contents>[string]> = {}
  if (jsonLines) {
    alternatives.push(alternative(jsonLinesSerializer(serializer), 'jsonl'))
    contents[jsonLinesMediaType] = {
      schema: { type: 'string', description: `JSON Lines: one ${noun} per line` },
      itemSchema: schema,
    }
  }
  if (csv) {
    alternatives.push(alternative(csvSerializer(view, serializer), 'csv'))
    contents[csvMediaType] = {
      schema: {
        type: 'string',
        description: `Comma-separated values (RFC 4180): a header, and a record for each ${noun}`,
      },
    }
  }
  if (alternatives.length === 0) return list
  return {
    ...list,
    contents: () => ({ ...list.contents(), ...contents }),
    headers: { ...list.headers, 'content-disposition': 'sometimes' },
    fileExtension: jsonExtension,
    alternatives,
  }
}

/** The parameter of lists that have other representations. */
export function downloadParameters({ jsonLines, csv }: ListOptions): readonly QueryParameter[] {
  const others = [...(jsonLines ? ['jsonl'] : []), ...(csv ? ['csv'] : [])]
  return others.length === 0 ? [] : [downloadParameter([jsonExtension, ...others])]
}

const jsonExtension = 'json'

/** Pages have their links in a header, whatever the policy does with them. */
function alternative(serializer: Serializer, fileExtension: string): AlternativeShape {
  const headers: HeaderPresence = { link: 'sometimes' }
  return { serializer, parameters: charsetParameters, headers, fileExtension }
}

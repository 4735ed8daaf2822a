import type { ErrorCode } from '../error/catalog.ts'
import type { Problem } from '../error/problem.ts'
import type { QueryParameterEntry } from '../http/query-string.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import type { Selection } from './selection.ts'

/** One query parameter in the OpenAPI document. */
export interface DocumentedParameter {
  readonly name: string
  readonly description: string
  readonly schema: JsonSchema
  /**
   * For documentation pages, which send no value that is required otherwise, and read an empty
   * number as 0 and then warn that it is too small.
   */
  readonly example?: number | readonly string[] | undefined
  readonly isDeprecated?: boolean
  /** Must each request have it? Default: false. */
  readonly isRequired?: boolean
  /**
   * The style of the value: plain, separated by commas, or an object whose members are in brackets
   * after the name, as in `filter[price][gte]=10`.
   */
  readonly style: 'plain' | 'commaSeparated' | 'deepObject'
  /** Its component name in PascalCase, if several operations share it. */
  readonly componentName: string | undefined
}

/**
 * In a schema, the parameter that the allowed values depend on. Tools that generate requests read
 * it.
 */
export const dependsOnKeyword = 'x-resourcery-depends-on'

export type ParameterResult =
  | { readonly kind: 'accepted'; readonly change: Partial<Selection> }
  | { readonly kind: 'refused'; readonly problems: readonly Problem[] }

/**
 * A query parameter with its whole family (`page[size]`, `page[number]`, …): its documentation, its
 * parser and its errors in one value, so that they cannot differ.
 */
export interface QueryParameter {
  readonly baseNames: readonly string[]
  /** Called for documents only. */
  describe(): readonly DocumentedParameter[]
  readonly errors: readonly ErrorCode[]
  /** Is its value a credential, which no link, cache or log may have? Default: false. */
  readonly isCredential?: boolean
  /** What a request without it is refused with. Default: no request needs it. */
  readonly missing?: Problem
  /** What it selects where a request does not have it. */
  readonly absent?: Partial<Selection>
  /** Parses all entries with these base names; there is at least one. */
  read(entries: readonly QueryParameterEntry[]): ParameterResult
}

export function acceptParameter(change: Partial<Selection>): ParameterResult {
  return { kind: 'accepted', change }
}

export function refuseParameter(problems: readonly Problem[]): ParameterResult {
  return { kind: 'refused', problems }
}

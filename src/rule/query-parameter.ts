import type { ErrorCode } from '../error/catalog.ts'
import type { Problem } from '../error/problem.ts'
import type { QueryParameterEntry } from '../http/query-string.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import type { Selection } from './selection.ts'

/** One query parameter as a document lists it. */
export interface DocumentedParameter {
  readonly name: string
  readonly description: string
  readonly schema: JsonSchema
  /**
   * Shown where the parameter can be filled in; documentation pages take a number that is left
   * empty for 0, and warn where 0 is too small.
   */
  readonly example?: number | undefined
  /** Is what it asks about on its way out? */
  readonly isDeprecated?: boolean
  /**
   * How the value is written: as it is, as several separated by commas, or member by member, each
   * in brackets behind the name: `filter[price][gte]=10`.
   */
  readonly style: 'plain' | 'commas' | 'members'
  /**
   * What a document calls the parameter where several operations share it, in PascalCase; undefined
   * where none do.
   */
  readonly componentName: string | undefined
}

/**
 * In a schema, the other parameter that says which of the values it describes are taken: tools that
 * make requests up need to know.
 */
export const dependsOnKeyword = 'x-resourcery-depends-on'

/** What a parameter makes of the values it was given. */
export type ParameterResult =
  | { readonly kind: 'read'; readonly change: Partial<Selection> }
  | { readonly kind: 'refused'; readonly problems: readonly Problem[] }

/**
 * A query parameter with all of its family (`page[size]`, `page[number]`, …), or several that make
 * sense together only: what is documented, what is accepted and what it does, in one value, so that
 * the three cannot differ.
 */
export interface QueryParameter {
  readonly baseNames: readonly string[]
  /** Made when it is asked for: only documents need it. */
  describe(): readonly DocumentedParameter[]
  /** What it can be refused for. */
  readonly errors: readonly ErrorCode[]
  /** Reads every entry of the families that the query string holds, at least one. */
  read(entries: readonly QueryParameterEntry[]): ParameterResult
}

export function acceptParameter(change: Partial<Selection>): ParameterResult {
  return { kind: 'read', change }
}

export function refuseParameter(problems: readonly Problem[]): ParameterResult {
  return { kind: 'refused', problems }
}

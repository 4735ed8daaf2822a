import {
  checkOptions,
  type OptionChecks,
  wholeNumber,
  withDefaults,
} from '../model/check-options.ts'
import { RegistrationError } from '../model/registration-error.ts'

/** What one request may ask for. Each refusal names the limit it met. */
export interface RouterLimits {
  /** Items of a page, unless asked: 20, or `maxPageSize` where that is less. */
  readonly defaultPageSize: number
  readonly maxPageSize: number
  /** How far into a list a page by number or offset may reach; cursors reach any place. */
  readonly maxOffset: number
  readonly maxSortKeys: number
  /**
   * Comparisons and connectives of all filters of the list together, and again of all filters of
   * included relations.
   */
  readonly maxFilterNodes: number
  readonly maxFilterDepth: number
  /** Values of one `in`, `nin`, `any` or `all`. */
  readonly maxFilterValues: number
  /** Wildcards of one `like`. */
  readonly maxWildcards: number
  /** Characters of one `like`. */
  readonly maxPatternLength: number
  /**
   * Characters of all `like` of the list together, and again of all of included relations: each is
   * held against every character of a text.
   */
  readonly maxTotalPatternLength: number
  /** Relations in a row, in filters, sorts and includes. */
  readonly maxRelationDepth: number
  readonly maxIncludePaths: number
  /** Operations of one batch. */
  readonly maxOperations: number
  /**
   * Identifiers that the relations to many of one request name, in a batch those of all its
   * operations.
   */
  readonly maxIdentifiers: number
  /**
   * Items that one request changes or removes, those among them that refer to its own; in a batch
   * those of all its operations.
   */
  readonly maxChangedItems: number
  /** Bytes of a JSON body. */
  readonly maxBodyBytes: number
  /**
   * Values of a JSON body: members and elements at all levels. 50 000 unless given, or four for
   * each of `maxIdentifiers` where that is more.
   */
  readonly maxJsonValues: number
  /**
   * Values that one item or the input of an action brings to validators: members and elements at
   * all levels, but for linkage. In a batch, those of each operation.
   */
  readonly maxItemValues: number
  /**
   * Bytes of one item as it is stored, whatever writes it; the bytes of its binary resources do not
   * count.
   */
  readonly maxItemBytes: number
}

export const defaultRouterLimits: RouterLimits = Object.freeze({
  defaultPageSize: 20,
  maxPageSize: 1_000,
  maxOffset: 1_000_000,
  maxSortKeys: 8,
  maxFilterNodes: 50,
  maxFilterDepth: 16,
  maxFilterValues: 500,
  maxWildcards: 16,
  maxPatternLength: 100,
  maxTotalPatternLength: 200,
  maxRelationDepth: 4,
  maxIncludePaths: 20,
  maxOperations: 100,
  maxIdentifiers: 10_000,
  maxChangedItems: 20_000,
  maxBodyBytes: 1_048_576,
  maxJsonValues: 50_000,
  maxItemValues: 5_000,
  maxItemBytes: 262_144,
})

/** An object with a type, an id and one member more. */
const jsonValuesPerIdentifier = 4
/** The rest of the document that identifiers stand in. */
const otherJsonValues = 1_000

const limitOptions: OptionChecks<RouterLimits> = {
  defaultPageSize: wholeNumber(1),
  maxPageSize: wholeNumber(1),
  maxOffset: wholeNumber(0),
  maxSortKeys: wholeNumber(0),
  maxFilterNodes: wholeNumber(0),
  maxFilterDepth: wholeNumber(0),
  maxFilterValues: wholeNumber(0),
  maxWildcards: wholeNumber(0),
  maxPatternLength: wholeNumber(0),
  maxTotalPatternLength: wholeNumber(0),
  maxRelationDepth: wholeNumber(0),
  maxIncludePaths: wholeNumber(0),
  maxOperations: wholeNumber(0),
  maxIdentifiers: wholeNumber(0),
  maxChangedItems: wholeNumber(1),
  maxBodyBytes: wholeNumber(1),
  maxJsonValues: wholeNumber(1),
  maxItemValues: wholeNumber(1),
  maxItemBytes: wholeNumber(1),
}

/**
 * The limits, those that are not given at their defaults. @throws RegistrationError where they
 * contradict each other, or hold what is no number
 */
export function resolveRouterLimits(given: Partial<RouterLimits> = {}): RouterLimits {
  checkOptions("the option 'limits' of createRouter()", given, limitOptions)
  const {
    maxPageSize = defaultRouterLimits.maxPageSize,
    maxIdentifiers = defaultRouterLimits.maxIdentifiers,
  } = given
  const pageSize = Math.min(defaultRouterLimits.defaultPageSize, maxPageSize)
  const maxJsonValues = Math.max(
    defaultRouterLimits.maxJsonValues,
    jsonValuesPerIdentifier * maxIdentifiers + otherJsonValues,
  )
  const limits = withDefaults(
    { ...defaultRouterLimits, defaultPageSize: pageSize, maxJsonValues },
    given,
  )
  if (limits.defaultPageSize > limits.maxPageSize)
    throw new RegistrationError(
      `The limit 'defaultPageSize' (${limits.defaultPageSize}) of createRouter() must be at most 'maxPageSize' (${limits.maxPageSize}).`,
    )
  return limits
}

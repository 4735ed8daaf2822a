import { checkOptions, type KnownOptions, wholeNumber, withDefaults } from '../model/check-options.ts'
import { RegistrationError } from '../model/registration-error.ts'

/** What one request may ask for. Each refusal names the limit it met. */
export interface Limits {
  /** Items of a page, unless asked: 20, or `maxPageSize` where that is less. */
  readonly pageSize: number
  readonly maxPageSize: number
  /** How far into a list a page by number or offset may reach; cursors reach any place. */
  readonly maxOffset: number
  readonly sortKeys: number
  /** Comparisons and connectives of all filters of the list together, and again of all filters of included relations. */
  readonly filterNodes: number
  readonly filterDepth: number
  /** Values of one `in`, `nin`, `any` or `all`. */
  readonly filterValues: number
  /** Wildcards of one `like`. */
  readonly wildcards: number
  /** Characters of one `like`. */
  readonly maxPatternLength: number
  /** Characters of all `like` of the list together, and again of all of included relations: each is held against every character of a text. */
  readonly maxPatternLengthTotal: number
  /** Relations in a row, in filters, sorts and includes. */
  readonly relationDepth: number
  readonly includePaths: number
  /** Operations of one batch. */
  readonly operations: number
  /** Identifiers that the relations to many of one request name, in a batch those of all its operations. */
  readonly maxIdentifiers: number
  /** Items that one request changes or removes, those among them that refer to its own; in a batch those of all its operations. */
  readonly maxChangedItems: number
  /** Bytes of a JSON body. */
  readonly bodyBytes: number
  /** Values of a JSON body: members and elements at all levels. 50 000 unless given, or four for each of `maxIdentifiers` where that is more. */
  readonly maxJsonValues: number
  /** Values that one item or the input of an action brings to validators: members and elements at all levels, but for linkage. In a batch, those of each operation. */
  readonly maxItemValues: number
  /** Bytes of one item as it is stored, whatever writes it; the bytes of its binary resources do not count. */
  readonly maxItemBytes: number
}

export const defaultLimits: Limits = Object.freeze({
  pageSize: 20,
  maxPageSize: 1_000,
  maxOffset: 1_000_000,
  sortKeys: 8,
  filterNodes: 50,
  filterDepth: 16,
  filterValues: 500,
  wildcards: 16,
  maxPatternLength: 100,
  maxPatternLengthTotal: 200,
  relationDepth: 4,
  includePaths: 20,
  operations: 100,
  maxIdentifiers: 10_000,
  maxChangedItems: 50_000,
  bodyBytes: 1_048_576,
  maxJsonValues: 50_000,
  maxItemValues: 5_000,
  maxItemBytes: 262_144,
})

/** An object with a type, an id and one member more. */
const valuesOfIdentifier = 4
/** The rest of the document that identifiers stand in. */
const valuesBeside = 1_000

const limitOptions: KnownOptions<Limits> = {
  pageSize: wholeNumber(1),
  maxPageSize: wholeNumber(1),
  maxOffset: wholeNumber(0),
  sortKeys: wholeNumber(0),
  filterNodes: wholeNumber(0),
  filterDepth: wholeNumber(0),
  filterValues: wholeNumber(0),
  wildcards: wholeNumber(0),
  maxPatternLength: wholeNumber(0),
  maxPatternLengthTotal: wholeNumber(0),
  relationDepth: wholeNumber(0),
  includePaths: wholeNumber(0),
  operations: wholeNumber(0),
  maxIdentifiers: wholeNumber(0),
  maxChangedItems: wholeNumber(1),
  bodyBytes: wholeNumber(1),
  maxJsonValues: wholeNumber(1),
  maxItemValues: wholeNumber(1),
  maxItemBytes: wholeNumber(1),
}

/** The limits, those that are not given at their defaults. @throws RegistrationError where they contradict each other, or hold what is no number */
export function checkedLimits(given: Partial<Limits> = {}): Limits {
  checkOptions("the option 'limits' of createRouter()", given, limitOptions)
  const { maxPageSize = defaultLimits.maxPageSize, maxIdentifiers = defaultLimits.maxIdentifiers } = given
  const pageSize = Math.min(defaultLimits.pageSize, maxPageSize)
  const maxJsonValues = Math.max(defaultLimits.maxJsonValues, valuesOfIdentifier * maxIdentifiers + valuesBeside)
  const limits = withDefaults({ ...defaultLimits, pageSize, maxJsonValues }, given)
  if (limits.pageSize > limits.maxPageSize)
    throw new RegistrationError(
      `The limit 'pageSize' (${limits.pageSize}) of createRouter() must be at most 'maxPageSize' (${limits.maxPageSize}).`,
    )
  return limits
}

import { conjunctsOf } from '../../query/conditions.ts'
import type { Condition } from '../../query/query-plan.ts'
import { isIdPath } from '../sql/index-scan.ts'

/**
 * What an access path depends on besides the shape of the query: `'any'` if on nothing, else the
 * sizes of lists of ids and of the offset.
 */
export type SizeClass = number | 'any'

/** Lists of more ids, and larger offsets, are no longer cheap. */
export const maxCheapRows = 1_000

/** So many ids of an index of words are sorted, rather than read in the order of a list. */
export const maxCheapIds = 5_000

/** The class of a path that must be chosen each time. */
export const unknownSize = -1

/** A search whose index may be completed later. */
const unindexedSearch = -2

export function sizeClassOf(condition: Condition, offset: number): SizeClass {
  const operands = conjunctsOf(condition)
  if (offset > 0 || operands.some(isIdList)) return sizeBits(operands, offset)
  return operands.some(({ kind }) => kind === 'search') ? unindexedSearch : 'any'
}

function isIdList(operand: Condition): boolean {
  return operand.kind === 'oneOf' && operand.values.length > 1 && isIdPath(operand.path)
}

/** One bit for a large offset, and one for each long list of ids. */
function sizeBits(operands: readonly Condition[], offset: number): number {
  let sizeClass = offset > maxCheapRows ? 1 : 0
  for (const [index, operand] of operands.entries()) {
    if (operand.kind === 'oneOf' && operand.values.length > maxCheapRows && isIdPath(operand.path))
      sizeClass += 2 ** (index + 1)
  }
  return sizeClass
}

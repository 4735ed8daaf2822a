import { formatNumber } from '../../text/message-text.ts'
import type { DocumentNode } from './document-node.ts'
import { exceedingSchema, type LeastValue, leastValueOf, leastValues } from './least-values.ts'

/** A schema of the document with which the check cannot work. The message names its place. */
export class UnusableSchemaError extends Error {
  constructor(pointer: string, reason: string) {
    super(`The schema at '#${pointer}' ${reason}`)
  }
}

/** How many values and characters the check makes for one value of a schema. */
const maxSize = 100_000
/** How many levels its values have. */
const maxLevels = 100
/** How many levels of JSON a schema has. */
const maxNesting = 200
/** The same for a document. */
const maxDocumentNesting = 2_000

/** @throws UnusableSchemaError if the check can make no value of the schema */
export function refuseEndlessValues(document: unknown, node: DocumentNode): void {
  const least = leastValueOf(leastValues(document, node), node)
  const refuse = (exceeds: (value: LeastValue) => boolean, reason: string) => {
    if (exceeds(least))
      throw new UnusableSchemaError(exceedingSchema(document, node, exceeds), reason)
  }
  refuse(({ size }) => size === Number.POSITIVE_INFINITY, 'requires itself, so no value fits it.')
  refuse(
    ({ size }) => size > maxSize,
    `requires more than ${formatNumber(maxSize)} values or characters, which is the most that the check makes.`,
  )
  refuse(
    ({ depth }) => depth > maxLevels,
    `requires values with more than ${maxLevels} levels, which is the most that the check makes.`,
  )
}

/** @throws UnusableSchemaError for a schema that would overflow the stack */
export function refuseDeepSchema({ value, pointer }: DocumentNode): void {
  if (exceedsLevels(value, maxNesting))
    throw new UnusableSchemaError(pointer, `is nested more than ${maxNesting} levels deep.`)
}

/** @throws Error for a document that would overflow the stack */
export function refuseDeepDocument(document: unknown): void {
  if (exceedsLevels(document, maxDocumentNesting))
    throw new Error(`The document is nested more than ${maxDocumentNesting} levels deep.`)
}

function exceedsLevels(value: unknown, maxLevels: number): boolean {
  const open: (readonly [unknown, number])[] = [[value, 0]]
  for (let entry = open.pop(); entry; entry = open.pop()) {
    const [current, level] = entry
    if (typeof current !== 'object' || current === null) continue
    if (level >= maxLevels) return true
    for (const member of Object.values(current)) open.push([member, level + 1])
  }
  return false
}

import type { DescribedOperation } from '../described-operation.ts'
import type { Finding } from '../finding.ts'
import { RateLimitedError } from '../rate-limits.ts'
import type { VerifiedSend } from '../verified-send.ts'
import { ViolationError } from '../violation-error.ts'
import { compareGroups, groupedListsIn } from './grouped-lists.ts'
import { compareHighlights, highlightedListsIn } from './highlighted-lists.ts'

/** Compares what lists say of all of their items, or of a page, with these items. */
export async function compareLists(
  document: object,
  operations: readonly DescribedOperation[],
  send: VerifiedSend,
): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  for (const each of groupedListsIn(operations))
    findings.push(...(await findingsOf(each.groups, compareGroups(document, each, send))))
  for (const list of highlightedListsIn(operations))
    findings.push(...(await findingsOf(list, compareHighlights(list, send))))
  return findings
}

async function findingsOf(
  operation: DescribedOperation,
  comparison: Promise<void>,
): Promise<readonly Finding[]> {
  try {
    await comparison
    return []
  } catch (error) {
    if (error instanceof ViolationError)
      return [{ ...error.violation, subject: operation.id, request: error.request }]
    if (error instanceof RateLimitedError) return []
    throw error
  }
}

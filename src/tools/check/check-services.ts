import { unknownName } from '../../error/unknown-name.ts'
import { withoutHeaderCredentials } from './access/checked-caller.ts'
import type { check as Check, CheckOptions } from './check.ts'
import { describedOperations } from './described-operation.ts'
import type { CheckedService } from './open-services.ts'
import { formatReport } from './report-text.ts'

/**
 * Checks services one after the other.
 * @param check the function, because its packages are optional
 * @param print writes the report of one service
 * @returns the exit code: 1 after a violation, or if no request to a service succeeded
 * @throws Error if no service has an operation that `only` names
 */
export async function checkServices(
  check: typeof Check,
  services: readonly CheckedService[],
  { only, ...options }: CheckOptions,
  print: (text: string) => void,
): Promise<0 | 1> {
  const idsByService = services.map(({ document }) =>
    describedOperations(document).map(({ id }) => id),
  )
  checkOperationIds(only, idsByService.flat())
  let exitCode: 0 | 1 = 0
  for (const [index, { document, base }] of services.entries()) {
    const selected = only?.filter((id) => idsByService[index]!.includes(id))
    if (selected?.length === 0) continue
    const report = await check(document, base, { ...options, ...(selected && { only: selected }) })
    const findings = report.findings.map((finding) =>
      withoutHeaderCredentials(options.headers ?? {}, finding),
    )
    print(formatReport({ ...report, findings }, base))
    // A service that refuses every request violates nothing, but nothing was tested either.
    if (report.findings.length > 0 || report.successCount === 0) exitCode = 1
  }
  return exitCode
}

/** @throws Error for an operation that no document has */
export function checkOperationIds(only: readonly string[] = [], ids: readonly string[]): void {
  for (const id of only)
    if (!ids.includes(id)) throw new Error(unknownName(`Unknown operation '${id}'`, id, ids))
}

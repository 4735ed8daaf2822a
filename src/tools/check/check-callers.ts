import { countOf } from '../../text/message-text.ts'
import type { AccessCheckOptions, AccessReport, CallerDocument } from './access/check-access.ts'
import {
  type CheckedCaller,
  errorOfCaller,
  withoutCredentials,
  withoutHeaderCredentials,
} from './access/checked-caller.ts'
import type { CheckOptions, CheckReport } from './check.ts'
import { checkOperationIds } from './check-services.ts'
import { describedOperations } from './described-operation.ts'
import type { CheckedService } from './open-services.ts'
import { describeFindings, describeRateLimits, formatReport } from './report-text.ts'

/** The checks, which need optional packages. */
export interface CallerChecks {
  check(document: object, base: URL, options?: CheckOptions): Promise<CheckReport>
  checkAccess(
    documents: readonly CallerDocument[],
    base: URL,
    options?: AccessCheckOptions,
  ): Promise<AccessReport>
}

/**
 * Checks services as several callers: first what each of them sees of the others' items, then each
 * service against the document of each caller.
 * @param readDocument reads the document that a service gives to a caller
 * @param print writes the report of one check
 * @returns the exit code: 1 after a violation, or if no request of any caller succeeded
 * @throws Error if a service has no operation that `only` names
 */
export async function checkCallers(
  { check, checkAccess }: CallerChecks,
  services: readonly CheckedService[],
  callers: readonly CheckedCaller[],
  options: CheckOptions,
  readDocument: (service: CheckedService, caller: CheckedCaller) => Promise<object>,
  print: (text: string) => void,
): Promise<0 | 1> {
  const { seed, timeoutMs, maxResponseBytes } = options
  let hasFindings = false
  let successCount = 0
  for (const service of services) {
    const documents: CallerDocument[] = []
    for (const caller of callers)
      documents.push({ caller, document: await readDocument(service, caller) })
    const operations = documents.flatMap(({ document }) => describedOperations(document))
    checkOperationIds(
      options.only,
      operations.map(({ id }) => id),
    )
    const access = await checkAccess(documents, service.base, {
      ...(seed !== undefined && { seed }),
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(maxResponseBytes !== undefined && { maxResponseBytes }),
    })
    print(formatAccessReport(access, service.base))
    hasFindings ||= access.findings.length > 0
    for (const { caller, document } of documents) {
      const headers = { ...options.headers, ...caller.headers }
      const report = await check(document, service.base, { ...options, headers }).catch(
        (error: Error) => {
          throw errorOfCaller(caller, error)
        },
      )
      const findings = report.findings.map((finding) =>
        withoutHeaderCredentials(
          ownHeaders(options.headers ?? {}, caller),
          withoutCredentials(callers, { ...finding, caller: caller.name }),
        ),
      )
      print(`As '${caller.name}': ${formatReport({ ...report, findings }, service.base)}`)
      hasFindings ||= findings.length > 0
      successCount += report.successCount
    }
  }
  return hasFindings || successCount === 0 ? 1 : 0
}

/** The headers of all requests that the caller does not replace. */
function ownHeaders(
  headers: Readonly<Record<string, string>>,
  caller: CheckedCaller,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !Object.hasOwn(caller.headers, name)),
  )
}

/** A report for a terminal: each finding with a command that repeats it. */
export function formatAccessReport(report: AccessReport, base: URL): string {
  const { callers, requestCount, waitedMs, itemCount, hiddenItemCount, findings, seed } = report
  const head = `${countOf(requestCount, 'request')} as ${callers.join(', ')}, seed ${seed}. ${countOf(itemCount, 'item')} compared, ${hiddenItemCount} of them hidden from some callers.${describeRateLimits({ limitedCount: 0, waitedMs })}`
  if (findings.length > 0) return `${head}\n${describeFindings(findings, base)}`
  const result =
    hiddenItemCount > 0
      ? 'No caller learns of what is hidden from it.'
      : 'All callers see the same items, so the result says little; check with other callers or other items.'
  return `${head}\n${result}\n`
}

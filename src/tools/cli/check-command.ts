import { type CheckedCaller, errorOfCaller } from '../check/access/checked-caller.ts'
import type { CheckOptions } from '../check/check.ts'
import { type CallerChecks, checkCallers } from '../check/check-callers.ts'
import { checkServices } from '../check/check-services.ts'
import { type DocumentLimits, openServices, readDocument } from '../check/open-services.ts'
import { readCallers } from './check-callers-option.ts'
import { type Command, command, type ParsedArguments } from './command.ts'
import { expectPositionals, parseHeader, parseInteger } from './parse-arguments.ts'

const options = {
  runs: { type: 'string' },
  seed: { type: 'string' },
  only: { type: 'string' },
  timeout: { type: 'string' },
  'max-response-bytes': { type: 'string' },
  'max-document-bytes': { type: 'string' },
  header: { type: 'string', multiple: true },
  as: { type: 'string', multiple: true },
} as const

/** `resourcery check`: tests a running service against its OpenAPI document. */
export const checkCommand: Command = command({
  name: 'check',
  synopsis: 'check <module or URL>',
  summary: 'tests a running service against its OpenAPI document',
  usage: `resourcery check <module or URL>

Tests a running service against its OpenAPI document. Expects the URL of the document, or a
module that exports a router. It creates, changes and deletes items.
Exits with 1 after a violation, or if no request succeeded; with 2 if it cannot check.

  --runs <n>         requests per strategy (valid, broken, hostile) and operation (100)
  --seed <n>         repeats the requests of an earlier run
  --only <ids>       operation ids, separated by commas
  --timeout <ms>     maximum time for one response with its body, in milliseconds (10000)
  --max-response-bytes <n>
                     maximum bytes of the body of one response (67108864)
  --max-document-bytes <n>
                     maximum bytes of the OpenAPI document (67108864)
  --header <n: v>    header of every request; may be repeated
  --as <callers>     checks as several callers, and compares what they see: name=token (a bearer
                     token), name=Header: value, or anonymous, separated by commas
`,
  options,
  run: async ({ values, positionals }) => {
    const [target] = expectPositionals(positionals, ['one module or URL'])
    const checkOptions = readCheckOptions(values)
    const callers = readCallers(values.as ?? [])
    const checks = await loadChecks()
    const { headers = {} } = checkOptions
    const [first] = callers
    const limits = readDocumentLimits(values)
    const opening = openServices(target, { ...headers, ...first?.headers }, limits)
    const { services, close } = await (first ? namingCaller(first, opening) : opening)
    try {
      if (callers.length === 0)
        return await checkServices(checks.check, services, checkOptions, console.log)
      return await checkCallers(
        checks,
        services,
        callers,
        checkOptions,
        ({ documentAddress }, caller) =>
          namingCaller(
            caller,
            readDocument(documentAddress, { ...headers, ...caller.headers }, limits),
          ),
        console.log,
      )
    } finally {
      await close()
    }
  },
})

/** The caller whose credential is wrong stands in the message. */
function namingCaller<T>(caller: CheckedCaller, reading: Promise<T>): Promise<T> {
  return reading.catch((cause: Error) => {
    throw errorOfCaller(caller, cause)
  })
}

/** @throws Error for an option with an invalid value */
export function readCheckOptions(values: ParsedArguments<typeof options>['values']): CheckOptions {
  return {
    ...(values.runs !== undefined && { runs: parseInteger('--runs', values.runs, 1) }),
    ...(values.seed !== undefined && { seed: parseInteger('--seed', values.seed, 0) }),
    ...(values.timeout !== undefined && {
      timeoutMs: parseInteger('--timeout', values.timeout, 1),
    }),
    ...(values['max-response-bytes'] !== undefined && {
      maxResponseBytes: parseInteger('--max-response-bytes', values['max-response-bytes'], 1),
    }),
    ...(values.only !== undefined && { only: values.only.split(',') }),
    headers: Object.fromEntries((values.header ?? []).map(parseHeader)),
  }
}

function readDocumentLimits(values: ParsedArguments<typeof options>['values']): DocumentLimits {
  const { timeout, 'max-document-bytes': maxBytes } = values
  return {
    ...(timeout !== undefined && { timeoutMs: parseInteger('--timeout', timeout, 1) }),
    ...(maxBytes !== undefined && {
      maxDocumentBytes: parseInteger('--max-document-bytes', maxBytes, 1),
    }),
  }
}

/** The check needs optional packages, which may not be installed. */
async function loadChecks(): Promise<CallerChecks> {
  try {
    return await import('../check/check.ts')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new Error(
      "Missing packages for the check. Run 'npm install --save-dev fast-check ajv ajv-formats'.",
      {
        cause: error,
      },
    )
  }
}

import type { ServeOptions } from '../../adapter/node.ts'
import { ArgumentFaults } from './argument-faults.ts'
import { parseInteger } from './parse-arguments.ts'

/** The options of `resourcery start`, as they are typed. */
export interface TypedStartOptions {
  readonly port?: string
  readonly host?: string
  readonly workers?: string
}

const defaultPort = 3_000

/**
 * The options of `serve`: those that are typed, then the variable PORT, then those of the module.
 * @param exported what the module exports as `serveOptions`
 * @throws Error for all that is wrong with them, at once
 */
export function startOptions(
  file: string,
  { port, host, workers }: TypedStartOptions,
  exported: unknown,
  { PORT }: { readonly PORT?: string | undefined },
): ServeOptions {
  const faults = new ArgumentFaults()
  const ofModule = faults.attempt(() => checkExported(file, exported)) ?? {}
  const typedPort =
    port === undefined ? undefined : faults.attempt(() => parseInteger('--port', port, 0))
  const variablePort =
    port !== undefined || PORT === undefined || PORT === ''
      ? undefined
      : faults.attempt(() => parseInteger('The variable PORT', PORT, 0))
  const count = workers === undefined ? undefined : faults.attempt(() => workerCount(workers))
  faults.throwAll()
  return {
    ...ofModule,
    port: typedPort ?? variablePort ?? ofModule.port ?? defaultPort,
    ...(host !== undefined && { host }),
    ...(count !== undefined && { workers: count }),
  }
}

function workerCount(workers: string): number | 'auto' {
  return workers === 'auto' ? workers : parseInteger('--workers', workers, 1, "or 'auto'")
}

/** Anything else would lose its options without a word. */
function checkExported(file: string, exported: unknown): ServeOptions {
  if (exported === undefined) return {}
  const isPlain =
    typeof exported === 'object' &&
    exported !== null &&
    [Object.prototype, null].includes(Object.getPrototypeOf(exported))
  if (isPlain) return exported
  throw new Error(
    `The 'serveOptions' that ${file} exports must be a plain object with options of serve(), such as { host: '0.0.0.0' }; got ${Array.isArray(exported) ? 'an array' : String(exported)}.`,
  )
}

import { OutdatedProcess, StoreOverloaded, StoreUnavailable } from '../../store/store-failures.ts'
import type { ErrorReporter } from '../error-reporter.ts'
import type { Service, ServiceDependency } from '../service.ts'

/** What is known of a dependency of a service. */
export interface DependencyState {
  /** The base path of the service. */
  readonly service: string
  readonly name: string
  /** One dependency of a group is enough. */
  readonly group?: string
  readonly state: 'ready' | 'unavailable'
  /** Why it is unavailable, without what an error may contain: hosts, users, SQL. */
  readonly reason?: string
}

/** Checks one dependency. It never rejects. */
export type DependencyCheck = () => Promise<DependencyState>

/** @param report gets the error when the dependency becomes unavailable, and not each time */
export function dependencyCheck(
  { basePath }: Service,
  dependency: ServiceDependency,
  timeoutMs: number,
  report: ErrorReporter,
): DependencyCheck {
  const { name, group } = dependency
  let wasReady = true
  return async () => {
    const failure = await failureOf(dependency, timeoutMs)
    const isReady = failure === undefined
    if (wasReady && !isReady) report(failure)
    wasReady = isReady
    const about = { service: basePath, name, ...(group !== undefined && { group }) }
    return isReady
      ? { ...about, state: 'ready' }
      : { ...about, state: 'unavailable', reason: reasonOf(failure) }
  }
}

class NoResponse extends Error {
  override readonly name = 'NoResponse'
}

/** The error of a dependency that cannot be used; undefined if it can. */
async function failureOf(
  dependency: ServiceDependency,
  timeoutMs: number,
): Promise<unknown | undefined> {
  const controller = new AbortController()
  const late = new NoResponse(`'${dependency.name}' did not respond within ${timeoutMs} ms.`)
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(late)
      controller.abort(late)
    }, timeoutMs)
  })
  try {
    await Promise.race([dependency.check(controller.signal), deadline])
    return undefined
  } catch (error) {
    // What is busy works. Without this process, the others would have even more to do.
    return error instanceof StoreOverloaded ? undefined : (error ?? new Error('unknown'))
  } finally {
    clearTimeout(timer)
  }
}

function reasonOf(failure: unknown): string {
  if (failure instanceof NoResponse) return failure.message
  if (failure instanceof OutdatedProcess)
    return 'The tables have the form of a newer version of the program. Start this process again.'
  if (failure instanceof StoreUnavailable) return 'It cannot be used now.'
  return 'It failed unexpectedly.'
}

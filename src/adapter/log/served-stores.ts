import type { StoreDescription } from '../../store/store-description.ts'
import type { ErrorReporter } from '../error-reporter.ts'
import type { Service, ServiceDependency } from '../service.ts'

/** A store of a service that is served. */
export interface ServedStore extends StoreDescription {
  /** Its name, where the service has several stores. */
  readonly name?: string
}

/**
 * The stores of open services, each once: routers often share one. One that is not open yet is not
 * among them.
 */
export async function servedStores(
  services: readonly Service[],
  report: ErrorReporter,
): Promise<readonly ServedStore[]> {
  const described = await Promise.all(
    services
      .flatMap(({ dependencies = [] }) => dependencies)
      .map((dependency) => servedStore(dependency, report)),
  )
  const byText = new Map<string, ServedStore>()
  for (const store of described) if (store) byText.set(JSON.stringify(store), store)
  return [...byText.values()]
}

/** The service is open, and a description that fails is no reason to end it. */
async function servedStore(
  dependency: ServiceDependency,
  report: ErrorReporter,
): Promise<ServedStore | undefined> {
  try {
    const description = await dependency.describe?.()
    const isOneOfSeveral = dependency.group !== undefined
    return description && { ...(isOneOfSeveral && { name: dependency.name }), ...description }
  } catch (error) {
    report(error)
    return undefined
  }
}

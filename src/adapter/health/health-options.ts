import {
  checkOptions,
  type OptionChecks,
  positiveMilliseconds,
  withDefaults,
} from '../../model/check-options.ts'
import { RegistrationFaults } from '../../model/describe/registration-faults.ts'
import { RegistrationError } from '../../model/registration-error.ts'
import { checkOwnPath, type OwnPath } from '../own-path.ts'

/** The health checks of `serve`, for load balancers and orchestrators. */
export interface HealthOptions {
  /** Where the process says that it runs: always 200. Default: `/livez`. */
  readonly livePath?: string
  /**
   * Where it says whether it can respond to requests: 200, or 503 while services open, while a
   * store cannot be used, and once the server closes. Default: `/readyz`.
   */
  readonly readyPath?: string
  /**
   * How long a store may take to respond, in milliseconds, before it counts as unavailable. It
   * should be shorter than the probe waits. Default: 800.
   */
  readonly timeoutMs?: number
  /**
   * Listens before the services are open, so that probes get responses during a start that takes
   * long. All other requests are 503 `starting` until then. Default: false, because a
   * proxy without health checks takes an open port for a service that is ready.
   */
  readonly duringStart?: boolean
}

/** The options of health checks, with their defaults. */
export type HealthSettings = Required<HealthOptions>

const defaults: HealthSettings = Object.freeze({
  livePath: '/livez',
  readyPath: '/readyz',
  timeoutMs: 800,
  duringStart: false,
})

const healthOptions: OptionChecks<HealthOptions> = {
  livePath: true,
  readyPath: true,
  timeoutMs: positiveMilliseconds,
  duringStart: 'boolean',
}

/**
 * Adds defaults; undefined where the checks are off.
 * @throws RegistrationError for unknown or invalid options
 */
export function resolveHealth(health: false | HealthOptions = {}): HealthSettings | undefined {
  if (health === false) return undefined
  checkOptions("the option 'health' of serve()", health, healthOptions)
  const resolved = withDefaults<HealthSettings>(defaults, health)
  const faults = new RegistrationFaults()
  faults.attempt(() => checkPath('livePath', resolved.livePath))
  faults.attempt(() => checkPath('readyPath', resolved.readyPath))
  faults.throwAll()
  if (resolved.livePath === resolved.readyPath)
    throw new RegistrationError(
      `The options 'livePath' and 'readyPath' of health checks must differ; both are '${resolved.livePath}'.`,
    )
  return resolved
}

/** The paths at which health checks respond. */
export function healthPathsOf(health: HealthSettings | undefined): readonly OwnPath[] {
  if (!health) return []
  const purpose = 'a health check'
  const advice =
    "Rename the check by 'livePath' or 'readyPath' of the option 'health', or switch the checks off: 'health: false'."
  return [health.livePath, health.readyPath].map((path) => ({ path, purpose, advice }))
}

function checkPath(option: string, path: unknown): void {
  checkOwnPath(`The option '${option}' of health checks`, path, defaults.readyPath)
}

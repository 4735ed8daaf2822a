import { checkOptions, formatValue, type OptionChecks } from '../../model/check-options.ts'
import { RegistrationError } from '../../model/registration-error.ts'
import { checkOwnPath, type OwnPath } from '../own-path.ts'

/** Where `serve` responds with metrics in the text format of Prometheus. */
export interface MetricsOptions {
  /** Default: `/metrics`. */
  readonly path?: string
}

const optionChecks: OptionChecks<MetricsOptions> = { path: true }

/**
 * The path of the metrics; undefined where there are none.
 * @throws RegistrationError for unknown or invalid options
 */
export function resolveMetrics(metrics: boolean | MetricsOptions = false): string | undefined {
  if (metrics === false) return undefined
  if (metrics !== true && Object(metrics) !== metrics)
    throw new RegistrationError(
      `The option 'metrics' of serve() must be true, false or an object; got ${formatValue(metrics)}.`,
    )
  const options = metrics === true ? {} : metrics
  checkOptions("the option 'metrics' of serve()", options, optionChecks)
  const { path = '/metrics' } = options
  checkOwnPath("The option 'path' of metrics", path, '/metrics')
  return path
}

/** The paths at which metrics are. */
export function metricsPathsOf(path: string | undefined): readonly OwnPath[] {
  if (path === undefined) return []
  const advice = "Choose another one: 'metrics: { path: '/internal/metrics' }'."
  return [{ path, purpose: 'the metrics', advice }]
}

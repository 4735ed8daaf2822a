import { RegistrationFaults } from '../../model/describe/registration-faults.ts'
import { RegistrationError } from '../../model/registration-error.ts'
import type { HealthSettings } from '../health/health-options.ts'
import type { Service } from '../service.ts'

/** @throws RegistrationError where services or options do not go with workers */
export function checkWorkers(
  services: readonly Service[],
  health: HealthSettings | undefined,
  metricsPath: string | undefined,
): void {
  const faults = new RegistrationFaults()
  faults.attempt(() => refuseDuringStart(health))
  faults.attempt(() => refuseMetrics(metricsPath))
  for (const service of services) faults.attempt(() => refuseProcessLocal(service))
  faults.throwAll()
}

function refuseDuringStart(health: HealthSettings | undefined): void {
  if (health?.duringStart)
    throw new RegistrationError(
      "The option 'duringStart' of health checks does not go with 'workers': a worker gets connections once its services are open.",
    )
}

function refuseMetrics(path: string | undefined): void {
  if (path !== undefined)
    throw new RegistrationError(
      "The option 'metrics' of serve() does not go with 'workers': each of them would show its own figures at the same path. Send them from each worker by 'telemetry'.",
    )
}

function refuseProcessLocal(service: Service): void {
  if (Object(service).isProcessLocal === true)
    throw new RegistrationError(
      `The service at '${service.basePath || '/'}' keeps items or files in the memory of its process, where the other 'workers' of serve() cannot find them. Use stores that processes share, such as sqlite('data/books.db') and fileBlobs('data/files').`,
    )
}

import { createRequire } from 'node:module'
import { RegistrationError } from '../../model/registration-error.ts'

/** The package `@opentelemetry/api`. */
export type OpenTelemetry = typeof import('@opentelemetry/api')

/** @throws RegistrationError where the package is not installed */
export function loadApi(owner: string): OpenTelemetry {
  try {
    return createRequire(import.meta.url)('@opentelemetry/api')
  } catch (cause) {
    throw new RegistrationError(
      `The option 'telemetry' of ${owner} needs the package '@opentelemetry/api'. Run 'npm install @opentelemetry/api'.`,
      { cause },
    )
  }
}

/** The time since 1970 of a time of `performance.now()`. */
export function epochMs(ms: number): number {
  return performance.timeOrigin + ms
}

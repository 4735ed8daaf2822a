import { RegistrationError } from '../model/registration-error.ts'
import type { RouterOptions } from './router-options.ts'

/** @throws RegistrationError where it is no path that a router can be mounted at */
export function validateBasePath(basePath: string): string {
  if (/^(?:\/[A-Za-z0-9._~-]+)*$/.test(basePath)) return basePath
  throw new RegistrationError(
    `The basePath '${basePath}' must be empty, or segments that each start with a slash, such as '/api'.`,
  )
}

/** Empty where none is given. @throws RegistrationError where it is no address of a service */
export function resolveBaseUrl(given: RouterOptions['baseUrl']): string {
  const baseUrl = typeof given === 'function' ? given() : given
  if (baseUrl === undefined) return ''
  if (URL.canParse(baseUrl) && /^https?:\/\/[^/?#]+$/.test(baseUrl)) return baseUrl
  throw new RegistrationError(
    `The baseUrl '${baseUrl}' must be an http or https address without a path, such as 'https://books.example'.`,
  )
}

import { RegistrationError } from '../model/registration-error.ts'
import type { RouterOptions } from './router-options.ts'

/** @throws RegistrationError if it is not a path */
export function validateBasePath(basePath: string): string {
  if (/^(?:\/[A-Za-z0-9._~-]+)*$/.test(basePath)) return basePath
  throw new RegistrationError(
    `The option 'basePath' of createRouter() must be empty, or a path that starts with a slash and does not end with one, such as '/api'; got '${basePath}'.`,
  )
}

/** Empty if the option is missing. @throws RegistrationError if it is not an origin */
export function resolveBaseUrl(option: RouterOptions['baseUrl']): string {
  const baseUrl = typeof option === 'function' ? option() : option
  if (baseUrl === undefined) return ''
  if (URL.canParse(baseUrl) && /^https?:\/\/[^/?#]+$/.test(baseUrl)) return baseUrl
  throw new RegistrationError(
    `The option 'baseUrl' of createRouter() must be an http or https URL without a path, such as 'https://books.example'; got '${baseUrl}'.`,
  )
}

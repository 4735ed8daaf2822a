import { formatValue } from '../model/check-options.ts'
import { RegistrationError } from '../model/registration-error.ts'

type BaseUrlOption = string | (() => string) | undefined

/**
 * A function is called later, by the first response that needs the URL.
 * @throws RegistrationError for anything but an origin or a function that can be called
 */
export function validateBaseUrl(option: BaseUrlOption): void {
  if (typeof option === 'function' && !isClass(option)) return
  resolveBaseUrl(() => option as string | undefined)
}

/** Empty if the option is missing. @throws RegistrationError if it is not an origin */
export function resolveBaseUrl(option: string | (() => string | undefined) | undefined): string {
  const baseUrl = typeof option === 'function' ? option() : option
  if (baseUrl === undefined) return ''
  if (typeof baseUrl === 'string' && URL.canParse(baseUrl) && /^https?:\/\/[^/?#]+$/.test(baseUrl))
    return baseUrl
  const value = isClass(baseUrl) ? 'a class' : formatValue(baseUrl)
  throw new RegistrationError(
    `The option 'baseUrl' of createRouter() must be an http or https URL without a path, such as 'https://books.example', or a function that returns one; got ${value}.`,
  )
}

/** A class cannot be called without `new`. */
function isClass(value: unknown): boolean {
  return typeof value === 'function' && /^class\b/.test(String(value))
}

import { joinHeaderValues } from './response-headers.ts'

type VaryValue = string | readonly string[] | undefined

/** Adds `Accept` to a `Vary` header that middleware may have set. */
export function withAccept(value: VaryValue): string {
  return addedVary('Accept', value)
}

/** The names of a `Vary` header, and then those that middleware may have set. */
export function addedVary(names: string, value: VaryValue): string {
  const vary = joinHeaderValues(value)
  if (vary === undefined || vary === '') return names
  const missing = names.split(', ').filter((name) => !hasName(vary, name.toLowerCase()))
  return [...missing, vary].join(', ')
}

/** Adds `Accept-Encoding` to a `Vary` header. */
export function withAcceptEncoding(value: VaryValue): string {
  const vary = joinHeaderValues(value)
  if (vary === undefined || vary === '') return 'Accept-Encoding'
  return hasName(vary, 'accept-encoding') ? vary : `${vary}, Accept-Encoding`
}

function hasName(vary: string, name: string): boolean {
  const names = vary.split(',').map((text) => text.trim().toLowerCase())
  return names.includes(name) || names.includes('*')
}

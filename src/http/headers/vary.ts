import { joinHeaderValues } from './response-headers.ts'

/** Adds `Accept` to a `Vary` header that middleware may have set. */
export function withAccept(value: string | readonly string[] | undefined): string {
  const vary = joinHeaderValues(value)
  if (vary === undefined || vary === '') return 'Accept'
  const names = vary.split(',').map((name) => name.trim().toLowerCase())
  return names.includes('accept') || names.includes('*') ? vary : `Accept, ${vary}`
}

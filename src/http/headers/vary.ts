import { joinHeaderValues } from './response-headers.ts'

/** What an answer depends on: on `Accept` always, whatever middleware says it depends on beside. */
export function withAccept(value: string | readonly string[] | undefined): string {
  const vary = joinHeaderValues(value)
  if (vary === undefined || vary === '') return 'Accept'
  const named = vary.split(',').map((name) => name.trim().toLowerCase())
  return named.includes('accept') || named.includes('*') ? vary : `Accept, ${vary}`
}

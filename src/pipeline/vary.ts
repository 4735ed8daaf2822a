/** What an answer depends on: on `Accept` always, whatever middleware says it depends on beside. */
export function withAccept(vary: string | undefined): string {
  if (vary === undefined || vary === '') return 'Accept'
  const named = vary.split(',').map((name) => name.trim().toLowerCase())
  return named.includes('accept') || named.includes('*') ? vary : `Accept, ${vary}`
}

const call = /^([A-Za-z]+)\((.+)\)$/s

/** A longer name is unlikely to be one of these in another form. */
const maxNameLength = 100

/**
 * The call that somebody has meant who wrote it in the form of another service.
 *
 * ```ts
 * suggestCall('publishedAt.month', ['year(publishedAt)', 'month(publishedAt)'])
 * // 'month(publishedAt)'
 * ```
 */
export function suggestCall(name: string, calls: readonly string[]): string | undefined {
  if (name.length > maxNameLength) return undefined
  const typed = lettersOf(name)
  return calls.find((each) => {
    const [, functionName = '', member = each] = call.exec(each) ?? []
    const [first, second] = [lettersOf(functionName), lettersOf(member)]
    return typed === first + second || typed === second + first
  })
}

function lettersOf(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase()
}

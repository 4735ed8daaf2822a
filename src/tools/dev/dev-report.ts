import { relative } from 'node:path'
import { joinWords } from '../../text/message-text.ts'

/** What a restart has changed about the routes; nothing where they are equal. */
export function changedRoutes(
  before: readonly string[],
  after: readonly string[],
): readonly string[] {
  const removed = before.filter((route) => !after.includes(route))
  const added = after.filter((route) => !before.includes(route))
  return [...removed.map((route) => `- ${route}`), ...added.map((route) => `+ ${route}`)]
}

/** Names files as they are typed in the current folder. */
export function nameFiles(paths: readonly string[]): string {
  const maxNames = 3
  const names = paths.slice(0, maxNames).map((path) => relative(process.cwd(), path))
  const more = paths.length - names.length
  return joinWords(more > 0 ? [...names, `${more} more`] : names)
}

/** The address that a browser on this machine opens. */
export function localAddress(host: string, port: number): string {
  const isWildcard = host === '0.0.0.0' || host === '::'
  const name = isWildcard ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}`
}

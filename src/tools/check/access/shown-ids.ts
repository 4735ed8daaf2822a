import type { Finding } from '../finding.ts'
import { accessFinding } from './access-finding.ts'
import type { CallerResponse, CallerView } from './caller-view.ts'
import type { ComparedCollection } from './compared-items.ts'
import type { HiddenItem } from './hidden-items.ts'
import { type IdPositions, textsIn } from './id-positions.ts'
import type { ReadResponse } from './read-responses.ts'

/** Finds ids and addresses of hidden items in lists, includes, linkage and links. */
export function findShownIds(
  responses: readonly ReadResponse[],
  hidden: readonly HiddenItem[],
  positions: IdPositions,
): readonly Finding[] {
  const findings: Finding[] = []
  for (const { view, path, response } of responses) {
    const own = hidden.filter((item) => item.view === view && item.isMissing)
    if (own.length === 0) continue
    const isHidden = (collection: ComparedCollection, id: string) =>
      own.some((item) => item.collection === collection && item.id === id)
    const shown = textsIn(response.json, path).find(({ position, text }) => {
      const collections = positions.get(position) ?? []
      const isId =
        collections.length > 0 && collections.every((collection) => isHidden(collection, text))
      return isId || own.some(({ target }) => leadsTo(text, target))
    })
    if (shown) findings.push(shownId(view, path, shown.text, shown.position, response))
  }
  return findings
}

function shownId(
  view: CallerView,
  path: string,
  text: string,
  position: string,
  response: CallerResponse,
): Finding {
  const message = `The response has '${text}' at '${position.slice(path.length + 1)}', of an item that does not exist for this caller.`
  return accessFinding(view, 'hidden-item-shown', path, message, response)
}

/** Is the text an address of the item, or of something below it? */
function leadsTo(text: string, target: string): boolean {
  const [address = ''] = text.split(/[?#]/)
  return address.endsWith(target) || address.includes(`${target}/`)
}

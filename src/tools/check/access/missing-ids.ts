import { type CallerView, sendAs } from './caller-view.ts'
import { type ComparedCollection, itemTarget } from './compared-items.ts'

/** How many ids are tried until two of them belong to no item. */
const maxTries = 40

/**
 * Two ids of the same form that belong to no item, for requests to compare with.
 * @returns undefined if there are none
 */
export async function missingIds(
  views: readonly CallerView[],
  { path, ids }: ComparedCollection,
  id: string,
): Promise<readonly [string, string] | undefined> {
  const missing: string[] = []
  for (let step = 1; step <= maxTries; step++) {
    const candidate = similarId(id, step)
    if (ids.has(candidate) || missing.includes(candidate)) continue
    const responses = await Promise.all(
      views.map((view) => sendAs(view, 'GET', itemTarget(path, candidate))),
    )
    if (responses.some(({ status }) => status < 400)) continue
    missing.push(candidate)
    const [one, other] = missing
    if (one !== undefined && other !== undefined) return [one, other]
  }
  return undefined
}

const characterClasses = [
  '0123456789',
  'abcdef',
  'ghijklmnopqrstuvwxyz',
  'ABCDEF',
  'GHIJKLMNOPQRSTUVWXYZ',
]

/** Changes letters and digits from the end, each to another one of its class. */
function similarId(id: string, step: number): string {
  let rest = step
  const characters = [...id]
  for (let index = characters.length - 1; index >= 0 && rest > 0; index--) {
    const members = characterClasses.find((each) => each.includes(characters[index]!))
    if (!members) continue
    const shift = rest % members.length
    characters[index] = members[(members.indexOf(characters[index]!) + shift) % members.length]!
    rest = Math.floor(rest / members.length)
  }
  return characters.join('') + (rest > 0 ? '9'.repeat(rest) : '')
}

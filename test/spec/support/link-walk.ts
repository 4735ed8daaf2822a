import { expect } from 'vitest'
import { type Client, type HeaderFields, hrefOf } from './document-client.ts'
import { isObject } from './json.ts'

/** A link, and the member it was found in. */
export interface FoundLink {
  readonly href: string
  readonly name: string
}

/** Every link of the document. */
export function linksIn(value: unknown): readonly FoundLink[] {
  if (Array.isArray(value)) return value.flatMap(linksIn)
  if (!isObject(value)) return []
  const own = isObject(value.links) ? Object.entries(value.links) : []
  const links = own.flatMap(([name, link]) => {
    const href = hrefOf(link)
    return href === undefined ? [] : [{ href, name }]
  })
  return [
    ...links,
    ...Object.entries(value).flatMap(([name, inner]) =>
      name === 'attributes' ? [] : linksIn(inner),
    ),
  ]
}

/**
 * Follows every link from these addresses on, each once.
 * @returns the visited addresses
 */
export async function walkLinks(
  api: Client,
  from: readonly string[],
  headers: HeaderFields = {},
): Promise<ReadonlySet<string>> {
  const visited = new Set(from)
  for (const href of visited) {
    const response = await api.get(href, headers)
    expect(response.status, `GET ${href}: ${response.text}`).toBe(200)
    for (const link of linksIn(response.document))
      if (link.name !== 'describedby') visited.add(link.href)
    expect(visited.size, 'the walk comes to an end').toBeLessThan(500)
  }
  return visited
}

/** The addresses and ids of all pages, starting with the first. */
export async function walkPages(
  api: Client,
  first: string,
  rel = 'next',
  headers: HeaderFields = {},
): Promise<readonly (readonly string[])[]> {
  const pages: (readonly string[])[] = []
  let next: string | undefined = first
  while (next !== undefined) {
    const page = await api.get(next, headers)
    expect(page.status, `GET ${next}: ${page.text}`).toBe(200)
    pages.push(page.ids)
    next = page.link(rel)
    expect(pages.length, 'the walk comes to an end').toBeLessThan(200)
  }
  return pages
}

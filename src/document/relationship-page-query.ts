import { formatQuery, parseQuery, type QueryParameterEntry } from '../http/query-string.ts'

/**
 * The query string that asks a relationship for the page of it that a document includes at this
 * path: with the same filter, sort and size, and with the same included along with it.
 *
 * ```ts
 * relationshipPageQuery('include=author.books&pageIncluded[author.books][size]=5', 'author.books')
 * // include=books&page%5Bsize%5D=5
 * ```
 */
export function relationshipPageQuery(query: string, path: string): string {
  const prefixLength = path.lastIndexOf('.') + 1
  const isBelow = (dotted: string) => dotted === path || dotted.startsWith(`${path}.`)
  const entries = parseQuery(query, query.length).flatMap(
    (entry): readonly (readonly [string, string])[] => {
      const { baseName, value, path: brackets } = entry
      if (baseName === 'fields') return [[entry.key, value]]
      if (baseName === 'include')
        return [
          [
            'include',
            value
              .split(',')
              .filter(isBelow)
              .map((segment) => segment.slice(prefixLength))
              .join(','),
          ],
        ]
      const [dotted = '', ...rest] = brackets
      if (!baseName.endsWith(includedSuffix) || !isBelow(dotted)) return []
      const isOwn = dotted === path
      return [
        [
          parameterName(
            isOwn ? baseName.slice(0, -includedSuffix.length) : baseName,
            isOwn ? rest : [dotted.slice(prefixLength), ...rest],
          ),
          value,
        ],
      ]
    },
  )
  return formatQuery(entries)
}

const includedSuffix = 'Included'

function parameterName(
  baseName: QueryParameterEntry['baseName'],
  path: QueryParameterEntry['path'],
): string {
  return baseName + path.map((segment) => `[${segment}]`).join('')
}

import { problem } from '../../error/problem.ts'
import { truncate } from '../../error/truncate.ts'
import { safeFileName } from '../../http/file-name.ts'
import { acceptParameter, type QueryParameter, refuseParameter } from '../query-parameter.ts'

const name = 'download'

/**
 * `download=books.csv`: the name under which browsers save the response. Its extension chooses the
 * media type, because a link sends no `Accept` of its own.
 *
 * ```ts
 * const parameters = [...listParameters(view, views, limits), downloadParameter(['json', 'csv'])]
 * ```
 *
 * @param extensions of the media types of the list
 */
export function downloadParameter(extensions: readonly string[]): QueryParameter {
  const allowed = extensions.map((extension) => `.${extension}`).join(', ')
  return {
    baseNames: [name],
    describe: () => [
      {
        name,
        description: `The file name with which a browser saves the list. Its extension chooses the media type: ${allowed}.`,
        schema: { type: 'string', pattern: `.\\.(${extensions.join('|')})$` },
        style: 'plain',
        componentName: 'Download',
      },
    ],
    errors: ['invalid-value'],
    read: ([entry]) => {
      const { key, path, value } = entry!
      const download = path.length === 0 ? safeFileName(value) : undefined
      const extension = download === undefined ? undefined : extensionOf(download)
      if (extension !== undefined && extensions.includes(extension))
        return acceptParameter({ download })
      return refuseParameter([
        problem(
          'invalid-value',
          `'${name}' must be a file name that ends in one of ${allowed}; got '${truncate(value)}'.`,
          { parameter: key },
        ),
      ])
    },
  }
}

/**
 * The extension of the file as which the client wants to save the response, if it does. The media
 * type is chosen before the parameters are read, and what is wrong with them is found then.
 */
export function downloadExtension(query: string): string | undefined {
  if (query === '') return undefined
  const value = new URLSearchParams(query).get(name)
  const download = value === null ? undefined : safeFileName(value)
  return download && extensionOf(download)
}

function extensionOf(fileName: string): string | undefined {
  const dot = fileName.lastIndexOf('.')
  return dot > 0 ? fileName.slice(dot + 1) : undefined
}

import { acceptParameter, type QueryParameter, refuseParameter } from '../query-parameter.ts'
import { unknownPageMember } from './parameter-statements.ts'

const members = ['size', 'after']

/**
 * `page[size]` and `page[after]`, for lists of versions and of deleted items, which are always
 * paged.
 * @param page that of other lists
 */
export function keptPageParameter(page: QueryParameter): QueryParameter {
  const firstPage = page.read([])
  return {
    baseNames: page.baseNames,
    describe: () => page.describe().filter(({ name }) => members.some((m) => name.includes(m))),
    ...(firstPage.kind === 'accepted' && { absent: firstPage.change }),
    errors: page.errors,
    read: (entries) => {
      const unknown = entries.filter(({ path }) => !members.includes(path.join('.')))
      if (unknown.length > 0)
        return refuseParameter(
          unknown.map(({ key, path }) => unknownPageMember(key, path, members)),
        )
      const read = page.read(entries)
      return read.kind === 'accepted' ? acceptParameter(read.change) : read
    },
  }
}

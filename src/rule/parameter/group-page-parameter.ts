import { acceptParameter, type QueryParameter, refuseParameter } from '../query-parameter.ts'
import type { PolicyLimits } from '../router-limits.ts'
import type { Page } from '../selection.ts'
import { pageParameterFor } from './page-parameter.ts'
import { unknownPageMember } from './parameter-statements.ts'

const members = ['size', 'number', 'limit', 'offset'] as const

const descriptions = {
  size: 'Number of groups on a page.',
  number: 'Page number, from 1.',
  limit: 'Number of groups after the offset.',
  offset: 'Number of groups to skip.',
} as const satisfies Record<(typeof members)[number], string>

/** The page of groups, which have no cursors. */
export function groupPageParameter(limits: PolicyLimits): QueryParameter {
  const page = pageParameterFor('groups', limits)
  return {
    baseNames: page.baseNames,
    describe: () =>
      page.describe().flatMap((parameter) => {
        const member = members.find((each) => parameter.name === `page[${each}]`)
        if (!member) return []
        const componentName = `Group${parameter.componentName}`
        return [{ ...parameter, componentName, description: descriptions[member] }]
      }),
    // Otherwise there are all groups, which `maxGroups` limits.
    ...(limits.lists === 'paged' && { absent: { page: firstPage(limits.defaultPageSize) } }),
    errors: ['invalid-page', 'page-too-large', 'limit-exceeded'],
    read: (entries) => {
      const unknown = entries.filter(
        ({ path }) => !members.some((member) => member === path.join('.')),
      )
      if (unknown.length > 0)
        return refuseParameter(
          unknown.map(({ key, path }) => unknownPageMember(key, path, members)),
        )
      const read = page.read(entries)
      if (read.kind === 'refused' || read.change.page?.kind !== 'cursor') return read
      return acceptParameter({ page: firstPage(read.change.page.size) })
    },
  }
}

function firstPage(size: number): Page {
  return Object.freeze({ kind: 'number', number: 1, size })
}

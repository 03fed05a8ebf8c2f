import { addCopyButtons } from './copy.ts'
import { offerSearch } from './search.ts'
import { followLanguage } from './tabs.ts'
import { followTheme } from './theme.ts'
import { offerTries } from './try-it.ts'
import { closeDrawer, followHeadings, showCurrentPage } from './menu.ts'

followTheme()
followLanguage()
addCopyButtons()
offerSearch()
offerTries()
closeDrawer()
showCurrentPage()
followHeadings()

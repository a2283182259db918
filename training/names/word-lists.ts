/** Our own lists: names that are also words, and parts of the names of organizations and streets. */

const list = (words: string) => words.trim().split(/\s+/);
const lines = (text: string) => text.trim().replace(/\s+/g, " ").split("; ");

/** Given names that are words, months or places. */
export const AMBIGUOUS_GIVEN_NAMES = list(`
Will Mark Grace Hope Faith Hunter Chase May April June Jordan Paris Austin Brooklyn Dakota Rose Daisy Jack Bill Rich
Frank Art Drew Rob Sandy Penny Amber Crystal Dawn Destiny Harmony Summer Autumn Sky Joy Violet Ivy Lily Iris Olive
Pearl Ruby Jade Ginger Holly Heather Savannah Sydney Chelsea Virginia Georgia Florence Victoria Charlotte Madison
Lincoln Carter Mason Parker Cooper Tyler Skip Chuck Buck Rusty Pat Gene Ray Cliff Dale Glen Heath Reed Forest Sage Robin
Jay Wren Kit Max Miles Major Duke Earl Dean Christian Angel Jesus Mercy Patience Prudence Constance Melody Carol
Bianca China India Kenya Asia Lance Pierce Wade Ward Grant Bob Nick Tim Sue Dot Tab Dick Ernest Basil Colt Clay Ace
Milan Florian Roman Dominic Bishop Tanner Archer Fisher Porter Piper Harper Taylor Dallas Houston Denver Memphis
Camden Trenton Troy Israel Cleveland Raleigh Lourdes Siena Verona Catalina Adelaide Alexandria
`);

/** Surnames that are words or places. */
export const AMBIGUOUS_SURNAMES = list(`
Young King Bush Brown White Green Black Gray Stone Wood Woods Hill Field Fields Brooks Rivers Banks Price Cash Day
Knight Bishop Baker Cook Mason Page Law Best Long Short Small Little Love Power Powers Sharp Swift Gates Jobs Ford Bell
Fox Wolf Lamb Marsh Moore Reed Rice Berry Rose Park Parks Lake Church Temple Castle Hall House Street Lane Bridges
Waters Pool Ball Barrett Berg Bird Crane Drake Finch Hawk Swan Carpenter Miller Smith Taylor Weaver Fisher Hunter
Shepherd Butler Cooper Turner Walker Porter Potter Sailor Singer Spencer Stewart Marshall Major Sargent Pope Abbott
Monk Nunn Dean Judge Noble Rich Wise Bright Strong Hardy Savage Gentle Moody Sweet Pepper Olive Bean Rye Cotton Silk
Gold Silver Steele Irons Glass Case Chambers Cross Crouch Cutter Dance Early Frost Snow Winter Summers Spring Weeks
May Holiday England Ireland French English Scott Welsh German Holland London York
Lincoln Washington Jackson Houston Austin Dallas Preston Chester Lancaster Derby Burton Stafford Lopes Costa Rocha
Prado Campos Rojas Blanco Moreno Delgado Bravo Reyes Santos Cruz Flores Klein Gross Lang Kurz Schwarz Weiss Braun Koch
Richter Becker Schneider Fischer Bauer Vogel Wolff Winter Sommer Herbst Berger Petit Legrand Leblanc Roux Blanc
Boulanger Berger Lemaire Rossi Bianchi Neri Russo Conte Marino Costa Monti Fontana
`);

/** Organizations that exist, to learn that a name may have no typical word. */
export const ORGANIZATIONS = lines(`
Google; Microsoft; Apple; Amazon; Meta; Netflix; IBM; Oracle; SAP; Intel; AMD; Nvidia; Cisco; Dell; HP; Lenovo; Samsung;
Sony; Panasonic; Toshiba; Hitachi; LG; Huawei; Xiaomi; Alibaba; Tencent; Baidu; ByteDance; Uber; Lyft; Airbnb;
Booking.com; Expedia; Spotify; Twitter; LinkedIn; Facebook; YouTube; Salesforce; Adobe; Workday; ServiceNow; Zendesk;
Atlassian; Slack; Zoom; Dropbox; Stripe; PayPal; Square; Klarna; Revolut; Wise; Adyen; Visa; Mastercard; American
Express; JPMorgan Chase; Bank of America; Wells Fargo; Citigroup; Goldman Sachs; Morgan Stanley; HSBC; Barclays; Lloyds;
Santander; BBVA; BNP Paribas; Deutsche Bank; Commerzbank; UniCredit; ING; Rabobank; UBS; Credit Suisse; Nordea; Danske
Bank; Siemens; Bosch; BASF; Bayer; BMW; Volkswagen; Mercedes-Benz; Audi; Porsche; Opel; Toyota; Honda; Nissan; Mazda;
Hyundai; Kia; Ford; General Motors; Tesla; Renault; Peugeot; Fiat; Ferrari; Volvo; Scania; Ericsson; Nokia; IKEA; H&M;
Zara; Inditex; Nike; Adidas; Puma; Reebok; Gucci; Prada; LVMH; L'Oréal; Nestlé; Danone; Unilever; Procter & Gamble;
Johnson & Johnson; Coca-Cola; PepsiCo; Starbucks; McDonald's; Burger King; KFC; Subway; Walmart; Target; Costco; Kroger;
Tesco; Sainsbury's; Aldi; Lidl; Carrefour; Auchan; Mercadona; Edeka; Rewe; Home Depot; Lowe's; Best Buy; FedEx; UPS; DHL;
Deutsche Post; Deutsche Bahn; Lufthansa; Air France; British Airways; Ryanair; EasyJet; Delta; United Airlines; American
Airlines; Emirates; Qatar Airways; Boeing; Airbus; Lockheed Martin; Raytheon; Northrop Grumman; Rolls-Royce; General
Electric; Honeywell; 3M; Caterpillar; John Deere; ExxonMobil; Chevron; Shell; BP; TotalEnergies; Repsol; Eni; Gazprom;
Equinor; Vattenfall; E.ON; RWE; EDF; Engie; Iberdrola; Enel; Pfizer; Moderna; AstraZeneca; Novartis; Roche; Sanofi; GSK;
Merck; Eli Lilly; AbbVie; Amgen; Gilead; Biogen; Johns Hopkins; Mayo Clinic; Cleveland Clinic; Kaiser Permanente; Aetna;
Cigna; Humana; Anthem; Blue Cross Blue Shield; UnitedHealth; Medtronic; Abbott; Philips; Deloitte; PwC; KPMG; EY;
Ernst & Young; McKinsey; Boston Consulting Group; Bain; Accenture; Capgemini; Infosys; Tata; Wipro; Cognizant; Reuters;
Bloomberg; CNN; BBC; Fox News; NBC; CBS; ABC; The New York Times; The Guardian; Le Monde; Der Spiegel; El País; Disney;
Warner Bros; Paramount; Universal; NASA; ESA; CERN; FBI; CIA; NSA; IRS; FDA; CDC; EPA; SEC; FTC; FCC; FEMA; NHS; HMRC;
WHO; UN; UNICEF; UNESCO; NATO; European Union; European Commission; European Central Bank; IMF; World Bank; WTO; OPEC;
Red Cross; Amnesty International; Greenpeace; Oxfam; Doctors Without Borders; Salvation Army; Harvard; Stanford; MIT;
Yale; Princeton; Oxford; Cambridge; ETH Zurich; Sorbonne; Caltech; Berkeley; Columbia University; Manchester United; Real
Madrid; FC Barcelona; Bayern Munich; Juventus; Arsenal; Chelsea; Liverpool; Chicago Bulls; Los Angeles Lakers; New York
Yankees; Boston Red Sox; Dallas Cowboys; FIFA; UEFA; NBA; NFL; IOC; OpenAI; Anthropic; Mistral; Cohere; DeepMind; Hugging
Face; Databricks; Snowflake; Cloudflare; Datadog; MongoDB; Elastic; HashiCorp; GitLab; GitHub; Red Hat; Canonical; SUSE;
Mozilla; Wikimedia Foundation; Apache Software Foundation; Linux Foundation; Congress; Senate; Pentagon; State
Department; Department of Justice; Supreme Court; Bundesbank; Bundestag; Allianz; AXA; Zurich Insurance; Generali; Aviva;
Prudential; MetLife; Liberty Mutual; State Farm; Geico; Vodafone; Orange; Telefónica; T-Mobile; Verizon; AT&T; Comcast;
Sprint; Proximus; Swisscom; Telenor; BlackRock; Vanguard; Fidelity; Charles Schwab; Berkshire Hathaway; SoftBank; Sequoia
Capital; Andreessen Horowitz; Y Combinator; Marriott; Hilton; Hyatt; Accor; Ikea; Decathlon; Lego; Maersk; Carlsberg;
Heineken; Škoda Auto; Česká spořitelna; ČEZ; PKO Bank Polski; Orlen; Allegro; Petrobras; Embraer; Itaú; Nubank; Globo;
Pemex; Cemex; Bimbo; Telmex; Reliance; Flipkart; Aramco; Etihad; El Al; Teva; Check Point; Grab; Gojek; Petronas; DBS
`);

export const COMPANY_SUFFIXES = list(`
Inc Inc. LLC Ltd Ltd. Limited Corp Corp. Corporation Co Co. Company Group Holdings Partners GmbH AG KG SE SA S.A. SAS
SARL S.L. S.p.A. BV B.V. NV AB ApS A/S AS Oy Pty PLC plc LLP s.r.o. a.s. d.o.o. Kft Sp. Ltda SRL
`);

/** Last words of the names of companies. */
export const COMPANY_KINDS = list(`
Bank Insurance Consulting Solutions Systems Technologies Technology Software Labs Laboratories Industries Logistics
Shipping Airlines Energy Power Oil Gas Mining Steel Foods Bakery Brewery Restaurants Hotels Travel Tours Media Pictures
Studios Records Publishing Press News Pharmaceuticals Biotech Medical Health Care Dental Clinic Pharmacy Capital Ventures
Investments Securities Financial Mortgage Realty Properties Construction Builders Architects Engineering Motors
Automotive Electronics Semiconductors Networks Telecom Communications Security Analytics Robotics Dynamics Aerospace
Defense Textiles Fashion Apparel Sports Fitness Games Toys Furniture Interiors Design Marketing Advertising Recruiting
Staffing Associates Brothers Sons Trading Imports Exports Services Enterprises International Global Worldwide Partners
`);

/** First words of invented names of companies. */
export const COMPANY_WORDS = list(`
Acme Apex Atlas Aurora Avalon Beacon Blue Bright Cascade Cedar Centric Citrus Clear Cobalt Compass Copper Core Crest
Crown Delta Digital Eagle Echo Element Ember Evergreen Falcon First Fusion Galaxy Gamma Global Golden Granite Green Harbor
Horizon Hyper Infinity Inter Iron Key Keystone Lakeside Liberty Lighthouse Lion Lotus Lunar Maple Matrix Meridian Metro
Midland Modern Monarch Mountain National New Next North Northern Nova Oak Ocean Omega Omni Optima Orbit Pacific Paragon
Park Peak Phoenix Pine Pinnacle Pioneer Polar Premier Prime Pro Pulse Quantum Quest Rapid Red Regent River Rock Royal
Sapphire Sigma Signal Silver Solar Solid Southern Spark Spectrum Spring Star Sterling Stone Summit Sun Sunrise Swift
Synergy Terra Titan Top Trans Tri True Twin Union United Unity Urban Valley Vanguard Vector Velocity Vertex Victory Vista
Vital Water West Western White Wild Zen Zenith
`);

export const INSTITUTION_PATTERNS = lines(`
University of {city}; {city} University; {city} State University; {surname} University; {surname} College; {city}
General Hospital; St. {given} Hospital; {city} Medical Center; {surname} Memorial Hospital; {city} City Council; Bank of
{city}; {city} Police Department; {city} High School; {surname} Elementary School; {city} Public Library; {city} Chamber
of Commerce; Ministry of Finance; Ministry of Health; Department of {kind}; {surname} Foundation; {surname} Institute;
Institute of {kind}; {city} Museum of Art; National Bank of {region}; {region} Airlines; {city} United; FC {city}; {city}
Tigers; {city} Times; {city} Herald; Embassy of {region}; {surname} Trust; {surname} Law Group; {surname} & {surname};
{surname}, {surname} & {surname}; {surname}, {surname} and {surname} LLP; {surname} and Sons; {surname} Brothers;
Universität {city}; Universidad de {city}; Université de {city}; Università di {city}; Banco de {region}; Hospital
Universitario de {city}; Klinikum {city}; Stadt {city}; Stadtwerke {city}; {city} Rotary Club; Diocese of {city}; {kind}
Association of {region}; {region} Red Cross; Friends of the {surname} Library
`);

export const STREET_PATTERNS = lines(`
{number} {surname} Street; {number} {surname} St; {number} {surname} St.; {number} {surname} Avenue; {number} {surname}
Ave; {number} {surname} Road; {number} {surname} Rd; {number} {city} Road; {number} {surname} Drive; {number} {surname}
Lane; {number} {surname} Blvd; {number} {surname} Court; {number} {tree} Street; {number} {tree} Ave; {number} {tree} Lane;
{number} N {tree} St; {number} West {tree} Street; {number} Main Street; {number} Main St; {number} High Street; {number} Park
Avenue; {number} {ordinal} Avenue; {number} {ordinal} Street; {surname}straße {small}; {surname}strasse {small};
{tree}weg {small}; Am {tree} {small}; Hauptstraße {small}; {small} rue {surname}; {small}, rue de la Paix; {small} avenue
{surname}; {small} Boulevard {surname}; Calle {surname} {small}; Calle de {city}, {small}; Avenida {surname} {number}; Rua
{surname} {number}; Via {surname} {small}; Piazza {surname} {small}; {surname}gatan {small}; {surname}vej {small};
{surname}straat {small}; ul. {surname} {small}; ulice {surname} {small}; {surname} utca {small}; P.O. Box {number}; Flat
{small}, {number} {surname} Road; Apt {small}, {number} {tree} Street; Suite {number}, {number} {surname} Drive
`);

export const TREES = list(`
Oak Maple Elm Pine Cedar Birch Willow Walnut Chestnut Cherry Spruce Magnolia Sycamore Poplar Ash Hickory Juniper Laurel
Linden Sunset River Lake Hill Church Mill Garden Meadow Forest Spring Station Ridge Valley Bridge Washington Lincoln
`);

export const ORDINALS = list("1st 2nd 3rd 5th 7th 12th 42nd Fifth Third Second Seventh Ninth");

export const STATE_CODES = list(`
AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC
SD TN TX UT VT VA WA WV WI WY DC ON QC BC AB NSW VIC QLD
`);

/** Places that are not cities. */
export const PLACE_PATTERNS = lines(`
Lake {surname}; Mount {surname}; {surname} County; {surname} Valley; {surname} Island; {surname} Park; {surname} Bay;
Cape {surname}; Port {surname}; Fort {surname}; North {city}; South {city}; East {city}; West {city}; {city} Heights;
{city} Airport; {city} Central Station; {surname} River; {surname} Falls; {surname} Square; New {city}; Upper {city};
Greater {city}; {surname} Beach; {surname} Bridge; {surname} Hills; Gulf of {region}; Republic of {region}; {city}
Harbour; {surname} Hall; {surname} Tower; {surname} Stadium
`);

/** Places that every reader knows. */
export const PLACES = lines(`
Europe; Asia; Africa; North America; South America; Latin America; Middle East; Scandinavia; Balkans; Caribbean; Silicon
Valley; Wall Street; Times Square; Central Park; Manhattan; Brooklyn; Queens; Harlem; Soho; Hollywood; Broadway; Downing
Street; Buckingham Palace; White House; Eiffel Tower; Brandenburg Gate; Mount Everest; Rocky Mountains; Alps; Andes;
Himalayas; Amazon River; Nile; Danube; Rhine; Mississippi River; Lake Michigan; Great Lakes; Pacific Ocean; Atlantic
Ocean; Mediterranean; Baltic Sea; Black Sea; Persian Gulf; Sahara; Siberia; Bavaria; Tuscany; Catalonia; Andalusia;
Provence; Normandy; Moravia; Bohemia; Silesia; Transylvania; Crimea; Kashmir; Punjab; Bali; Java; Sicily; Crete; Corsica;
Ibiza; Hawaii; Alaska; Texas; California; Florida; New York; New York City; NYC; Los Angeles; LA; San Francisco; SF; Bay
Area; Chicago; Boston; Seattle; Portland; Denver; Dallas; Houston; Austin; Miami; Atlanta; Washington; Washington, D.C.;
Philadelphia; Detroit; Las Vegas; Phoenix; San Diego; Toronto; Vancouver; Montreal; London; Manchester; Birmingham; Leeds;
Glasgow; Edinburgh; Dublin; Belfast; Paris; Lyon; Marseille; Berlin; Munich; Hamburg; Frankfurt; Cologne; Vienna; Zurich;
Geneva; Bern; Madrid; Barcelona; Seville; Lisbon; Porto; Rome; Milan; Naples; Florence; Venice; Athens; Istanbul; Ankara;
Moscow; Kyiv; Warsaw; Kraków; Prague; Brno; Bratislava; Budapest; Bucharest; Sofia; Belgrade; Zagreb; Ljubljana;
Copenhagen; Stockholm; Oslo; Helsinki; Tallinn; Riga; Vilnius; Amsterdam; Rotterdam; The Hague; Brussels; Antwerp;
Luxembourg; Tokyo; Osaka; Kyoto; Seoul; Busan; Beijing; Shanghai; Shenzhen; Hong Kong; Taipei; Singapore; Kuala Lumpur;
Jakarta; Bangkok; Hanoi; Manila; Delhi; New Delhi; Mumbai; Bangalore; Chennai; Kolkata; Karachi; Lahore; Dhaka; Dubai; Abu
Dhabi; Riyadh; Doha; Tel Aviv; Jerusalem; Cairo; Nairobi; Lagos; Accra; Cape Town; Johannesburg; Casablanca; Tunis;
Sydney; Melbourne; Brisbane; Perth; Auckland; Wellington; Mexico City; Guadalajara; Bogotá; Medellín; Lima; Santiago;
Buenos Aires; Montevideo; São Paulo; Rio de Janeiro; Brasília; Quito; Caracas; Havana; San José; Panama; USA; US; U.S.;
UK; United States; United Kingdom; Great Britain; England; Scotland; Wales; Ireland; Northern Ireland; France; Germany;
Spain; Portugal; Italy; Greece; Switzerland; Austria; Belgium; Netherlands; Holland; Denmark; Sweden; Norway; Finland;
Iceland; Poland; Czech Republic; Czechia; Slovakia; Hungary; Romania; Bulgaria; Serbia; Croatia; Slovenia; Ukraine;
Russia; Belarus; Estonia; Latvia; Lithuania; Turkey; Israel; Egypt; Morocco; Tunisia; Nigeria; Kenya; Ethiopia; Ghana;
South Africa; India; Pakistan; Bangladesh; China; Japan; South Korea; North Korea; Taiwan; Vietnam; Thailand; Indonesia;
Malaysia; Philippines; Australia; New Zealand; Canada; Mexico; Brazil; Argentina; Chile; Peru; Colombia; Venezuela; Cuba;
Saudi Arabia; Iran; Iraq; Syria; Jordan; Lebanon; Qatar; Deutschland; España; Italia; Österreich; Schweiz; Česko; Praha;
München; Köln; Wien; Roma; Milano; Lisboa; Bruxelles; Genève; Warszawa; København
`);

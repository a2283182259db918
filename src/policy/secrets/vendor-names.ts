/** Names of vendors whose keys have no prefix: only the name identifies them. */

/** In lower case. Names of common words and of tools that are followed by hashes, such as git, are left out. */
export const VENDOR_NAMES: readonly string[] = `
  abuseipdb accuweather activecampaign adafruit adobe aerospike agora airbrake airship airtable airvisual aiven
  alchemy algolia alibaba aliyun alphavantage amplitude anypoint apiflash apify apitemplate appcues appdynamics
  appfollow appoptics appsflyer appsignal appveyor artifactory asana assemblyai atlassian audd auth0 autodesk avalara
  aviationstack axiom azure baremetrics basecamp beamer beebole betterstack bigcommerce billomat bintray bitbar
  bitbucket bitfinex bitly bitmex bittrex blazemeter blockcypher blocknative bluemix boostnote braintree branchio
  brandfetch braze brevo browserstack bugherd bugsnag buildkite bunnycdn calendarific calendly capsulecrm censys
  chargebee chartmogul checkly checkout.com checkr circleci clarifai clearbit clickhouse clicksend clicktime clickup
  cloudant cloudconvert cloudelements cloudflare cloudinary cloudmersive cloudsmith cockroachdb coda.io codacy
  codeclimate codecov codemagic cohere coinapi coinbase coinlayer coinmarketcap commercetools confluent contentful
  contentstack convertkit copper-crm cosmosdb coveralls crowdin cryptocompare currencylayer customer.io customerio
  databox databricks datadog datagov dealmachine debounce deepai deepgram deepl deepseek delighted deno_deploy
  detectify dialpad digitalocean discogs discord discourse disqus docparser docusign doppler dotdigital dovico drift
  droneci dropbox dwolla dynadot dynatrace easypost edamam eightxeight elastic_cloud elasticemail elevenlabs enigma
  etherscan etsy eventbrite everhour exchangerate facebook fastly faunadb fibery figma fileio finage finicity finnhub
  fixer.io flickr flightapi floatapp flutterwave foursquare freshbooks freshdesk freshservice fullcontact fullstory
  fusebill fxmarket gemini geoapify geocodio getresponse giphy gitbook gitter gocardless goodreads gotify grafana
  gravitee greenhouse groq gumroad gyazo happyscribe harvestapp hellosign helpcrunch helpscout heroku hetzner
  hightouch hive.com holidayapi honeybadger honeycomb host.io hotjar hubspot huggingface humanloop hunter.io
  hypertrack iconfinder imagekit imgbb imgix impala influxdb infura insightly instatus intercom intrinio invoiceocean
  ip2location ipapi ipdata ipgeolocation ipify ipinfo ipquality ipstack iterable jfrog jumpcloud jumpseller kaggle
  kaleyra keen.io kickbox klaviyo knapsackpro kontent kraken kucoin lacework langfuse langsmith launchdarkly
  lemonsqueezy lexigram linear linkedin linkpreview linode liveagent livestorm lob logdna loggly logrocket logz.io
  lokalise looker mailboxlayer mailchimp mailerlite mailersend mailgun mailjet mailmodo mailtrap mandrill mapbox
  mapquest marketstack mattermost maxmind mediastack meilisearch meistertask memcachier meraki mesibo message-bird
  message_bird messagebird metaapi metabase microstrategy midjourney mindee mistral mixpanel mockaroo monday.com
  mongodb_atlas moonclerk moosend moralis mux_token mypurecloud nasdaq netcore nethunt netlify neutrino new-relic
  new_relic new_york_times newrelic newsapi newscatcher newyorktimes nexmo ngrok nightfall nomics notion novu
  numverify nylas nytimes oanda okta onedesk onelogin onesignal onfleet openai openaq opencage openexchangerates
  openrouter openuv openweather openweathermap opsgenie optimizely outreach.io owlbot paddle pagerduty pandadoc
  papertrail parallax parsehub parseur passbase paypal paystack payu pdfshift pendo percy perplexity pexels
  phrase.com pinata pinecone pingdom pinterest pipedream pipedrive pivotaltracker pixabay plaid planetscale planyo
  podio pollsapi polygon.io portkey positionstack posthog postman postmark powerbi prerender privacy.com proxycrawl
  pubnub pulumi purestake pusher qase qdrant qualaroo qualtrics quickbase quickmetrics rapidapi raygun razorpay
  readme.io reallysimple rebrandly recaptcha recharge recurly redis_labs refiner replicate replit resend rev.ai
  revcontent ringcentral ritekit roaring rocketreach rollbar route4me runpod runscope salesblink salesforce
  satismeter saucelabs scaleway scrapeowl scraperapi scraperbox scrapingant scrapingbee screenshotapi segment
  sendbird sendgrid sendinblue sentry serpapi serphouse serpstack sharethis shipday shipengine shippo shodan shopify
  shortcut signable signalwire signaturit simplesat simvoly sinch siteleaf skybiometry skyscanner slack smartsheet
  smartystreets smooch snipcart snowflake snyk sonar_login sonar_token sonarcloud sonarlogin sonarqube sonartoken
  sourcegraph sparkpost speechmatics splunk spoonacular spotify sqreen square squarespace stabilityai stackhawk
  statuscake statuspage statuspal stormboard stormglass storyblok strava streak stripe stytch sugester sumo_
  sumologic supabase surveymonkey swiftype tailscale tallyfy tatum taxjar teamgate teamwork technicalanalysis
  telegram telnyx terraform textmagic thinkific thousandeyes ticketmaster tickettailor tiingo timekit tink todoist
  together.ai tomorrow.io tomtom tradier travis trello tumblr twelvedata twilio twist twitch twitter typeform
  typesense uclassify unifyid unplugg unsplash upcdatabase uploadcare upstash uptimerobot upwave userflow userstack
  vatlayer vbout vercel verimail veriphone vimeo virustotal visualcrossing voicegain voucherify vultr vyte wakatime
  waketime walkscore wandb weatherbit weatherstack weaviate webex webflow webscraper wepay whereby whoxy wistia
  wit.ai woocommerce workato workstack wrike x.ai xero yandex yelp youneedabudget youtube zapier zendesk zenrows
  zenscrape zenserp zeplin zerobounce zeromq zerotier zilliz zipapi zipcodeapi zoho zonka zoominfo
`
  .trim()
  .split(/\s+/);
